/**
 * A disk in memory that keeps apart what is durable and what a power cut may take back.
 *
 * Every change of a file is pending until a sync of the file has returned; every change of a name
 * (made, renamed, removed) until a sync of the folder has. crash-states.ts makes of it the states
 * that a power cut can leave.
 */

import { Buffer } from "node:buffer";
import { basename } from "node:path";
import type { FileStat, FileSystem, OpenFile } from "../../src/store/file-system.ts";

/** A change of a file's content: bytes written at a position, or a new length. */
export type ContentChange =
  | { readonly position: number; readonly bytes: Buffer }
  | { readonly length: number };

export interface Call {
  readonly operation: keyof OpenFile | keyof FileSystem;
  /** The file's or folder's name. */
  readonly name: string;
  readonly bytes?: Uint8Array;
}

export interface DiskObserver {
  /** May throw, to fail the call; a number is how many bytes a write counts. */
  readonly before?: (call: Call) => number | void;
  /** Called after every call that changed something. */
  readonly after?: (call: Call) => void;
  /** How long a call takes. */
  readonly delay?: (call: Call) => Promise<void>;
}

let files = 0;

export class SimulatedFile {
  readonly id = `${(files += 1)}`;
  durable: Buffer;
  content: Buffer;
  pending: ContentChange[] = [];

  constructor(content: Buffer) {
    this.durable = content;
    this.content = content;
  }

  change(change: ContentChange): void {
    this.pending.push(change);
    this.content = changed(this.content, change);
  }

  /** Makes the first `count` pending changes durable. */
  settle(count: number): void {
    for (const change of this.pending.slice(0, count)) this.durable = changed(this.durable, change);
    this.pending = this.pending.slice(count);
  }

  /** A sync failed: the kernel takes the first `count` changes for written, and they are not. */
  drop(count: number): void {
    this.pending = this.pending.slice(count);
  }

  /** True if a failed sync has left the kernel with content that the disk will not get. */
  get isDeceptive(): boolean {
    return !this.pending.reduce(changed, this.durable).equals(this.content);
  }

  copy(): SimulatedFile {
    const copy = new SimulatedFile(this.durable);
    copy.content = this.content;
    copy.pending = [...this.pending];
    return copy;
  }
}

export function changed(content: Buffer, change: ContentChange): Buffer {
  const length =
    "length" in change
      ? change.length
      : Math.max(content.length, change.position + change.bytes.length);
  const next = Buffer.alloc(length);
  content.copy(next);
  if ("bytes" in change) change.bytes.copy(next, change.position);
  return next;
}

export class SimulatedDisk implements FileSystem {
  observer: DiskObserver;
  /** Files opened and not closed. */
  openFiles = 0;
  free = Infinity;
  /** For each name the durable file, then those it was given since; the last one is seen. */
  readonly names = new Map<string, (SimulatedFile | undefined)[]>();

  constructor(files: ReadonlyMap<string, Buffer> = new Map(), observer: DiskObserver = {}) {
    this.observer = observer;
    for (const [name, content] of files) this.names.set(name, [new SimulatedFile(content)]);
  }

  /** The disk as another process sees it if this one is killed now: all that was written. */
  survivor(observer: DiskObserver = {}): SimulatedDisk {
    const disk = new SimulatedDisk(new Map(), observer);
    const copies = new Map<SimulatedFile, SimulatedFile>();
    for (const [name, versions] of this.names) {
      const copied = versions.map((file) => {
        if (file === undefined) return undefined;
        const copy = copies.get(file) ?? file.copy();
        copies.set(file, copy);
        return copy;
      });
      disk.names.set(name, copied);
    }
    return disk;
  }

  /** The files as they are seen. */
  files(): Map<string, Buffer> {
    const files = new Map<string, Buffer>();
    for (const name of this.names.keys()) {
      const file = this.#find(name);
      if (file !== undefined) files.set(name, file.content);
    }
    return files;
  }

  /** The kernel drops its page of the file, and the disk has another byte there. */
  lose(name: string, at: number): void {
    const file = this.#require(name);
    file.content = Buffer.from(file.content);
    file.content[at] = 0;
  }

  async makeFolder(): Promise<void> {}

  async freeBytes(): Promise<number> {
    return this.free;
  }

  async stat(path: string): Promise<FileStat> {
    await this.#call("stat", basename(path));
    return this.#stat(this.#require(basename(path)));
  }

  #stat({ id, content }: SimulatedFile): FileStat {
    return { id, isFile: true, size: content.length, mode: 0o600 };
  }

  async rename(from: string, to: string): Promise<void> {
    const call = await this.#call("rename", basename(from));
    const file = this.#require(basename(from));
    this.#give(basename(to), file);
    this.#give(basename(from), undefined);
    this.#done(call);
  }

  async remove(path: string): Promise<void> {
    const call = await this.#call("remove", basename(path));
    this.#require(basename(path));
    this.#give(basename(path), undefined);
    this.#done(call);
  }

  async syncFolder(folder: string): Promise<void> {
    const settled = new Map([...this.names].map(([name, files]) => [name, files.length]));
    const call = await this.#call("syncFolder", basename(folder));
    for (const [name, count] of settled) {
      const rest = this.names.get(name)?.slice(count - 1) ?? [];
      if (rest.length === 1 && rest[0] === undefined) this.names.delete(name);
      else this.names.set(name, rest);
    }
    this.#done(call);
  }

  async open(path: string): Promise<OpenFile> {
    const name = basename(path);
    await this.#call("open", name);
    return this.#opened(name, this.#require(name));
  }

  async create(path: string): Promise<OpenFile> {
    const name = basename(path);
    const call = await this.#call("create", name);
    if (this.#find(name) !== undefined) throw systemError("EEXIST", name);
    const file = new SimulatedFile(Buffer.alloc(0));
    this.#give(name, file);
    this.#done(call);
    return this.#opened(name, file);
  }

  /** Each write is one call and its sync, and both can fail. */
  async openToAppend(path: string): Promise<OpenFile> {
    const name = basename(path);
    await this.#call("openToAppend", name);
    const file = this.#require(name);
    const opened = this.#opened(name, file);
    const write = async (bytes: Uint8Array): Promise<number> => {
      const count = await opened.write(bytes);
      await opened.sync();
      // Behind a short count Node makes a second call, and hides its error. So the rest may be in
      // the file, too.
      const rest = Buffer.from(bytes.subarray(count));
      if (rest.length > 0) file.change({ position: file.content.length, bytes: rest });
      return count;
    };
    return { ...opened, write };
  }

  #opened(firstName: string, file: SimulatedFile): OpenFile {
    this.openFiles += 1;
    // A rename gives an open file another name.
    const named = (): string =>
      [...this.names].find(([, versions]) => versions.at(-1) === file)?.[0] ?? firstName;
    return {
      read: async (into, position) => {
        await this.#call("read", named());
        return file.content.copy(into, 0, position);
      },
      write: async (bytes) => {
        const call = await this.#call("write", named(), bytes);
        const taken = this.observer.before?.(call);
        const part = Buffer.from(bytes.subarray(0, taken ?? bytes.length));
        file.change({ position: file.content.length, bytes: part });
        this.#done(call);
        return part.length;
      },
      truncate: async (length) => {
        const call = await this.#call("truncate", named());
        if (length !== file.content.length) file.change({ length });
        this.#done(call);
      },
      sync: async () => {
        const count = file.pending.length;
        const call = await this.#call("sync", named()).catch((error: unknown) => {
          file.drop(count);
          throw error;
        });
        file.settle(count);
        this.#done(call);
      },
      stat: async () => this.#stat(file),
      close: async () => {
        this.openFiles -= 1;
        await this.#call("close", named());
      },
    };
  }

  async #call(operation: Call["operation"], name: string, bytes?: Uint8Array): Promise<Call> {
    const call: Call = { operation, name, ...(bytes === undefined ? {} : { bytes }) };
    await this.observer.delay?.(call);
    if (operation !== "write") this.observer.before?.(call);
    return call;
  }

  #done(call: Call): void {
    this.observer.after?.(call);
  }

  #find(name: string): SimulatedFile | undefined {
    return this.names.get(name)?.at(-1);
  }

  #require(name: string): SimulatedFile {
    const file = this.#find(name);
    if (file !== undefined) return file;
    throw systemError("ENOENT", name);
  }

  #give(name: string, file: SimulatedFile | undefined): void {
    const versions = this.names.get(name) ?? [undefined];
    this.names.set(name, [...versions, file]);
  }
}

function systemError(code: string, name: string): Error {
  return Object.assign(new Error(`${code}: ${name}`), { code, syscall: "open" });
}
