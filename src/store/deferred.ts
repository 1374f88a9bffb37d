/** A promise and the two functions that settle it: Promise.withResolvers of Node 22. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
}

/** A pending promise. */
export function deferred<T>(): Deferred<T> {
  let resolve!: (value: T) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<T>((whenDone, whenFailed) => {
    resolve = whenDone;
    reject = whenFailed;
  });
  return { promise, resolve, reject };
}
