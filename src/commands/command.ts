/**
 * Shared by the commands: printing the result, and failing.
 *
 * The result goes to stdout. A failure is one line on stderr that says what to do, with exit code
 * 1; after a mistake on the command line it ends with the usage.
 */

import { printable } from "../log/log.ts";
import { codeOf, messageOf } from "../log/system-error.ts";
import { isInstalled, SettingsError } from "../settings.ts";
import { StoreError } from "../store/store-error.ts";

/** The words that a person types to run a command. */
export const typed: { readonly server: string; readonly token: string } = isInstalled()
  ? { server: "npx forno", token: "npx forno-token" }
  : { server: "node dist/server.js", token: "node dist/token.js" };

/** A mistake on the command line. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Runs the command with this process's arguments, and prints what it returns. */
export function runCommand(
  usage: string,
  run: (args: readonly string[]) => string,
): void {
  try {
    console.log(run(process.argv.slice(2)));
  } catch (error) {
    console.error(isMistake(error) ? usageLine(error, usage) : explain(error));
    process.exitCode = 1;
  }
}

/** True for a UsageError, and for the error of Node's parseArgs for a wrong option. */
function isMistake(error: unknown): error is Error {
  return error instanceof UsageError || codeOf(error)?.startsWith("ERR_PARSE_ARGS_") === true;
}

/** One line, even if the message, or an argument that it quotes, has several. */
function usageLine({ message }: Error, usage: string): string {
  const sentence = message.replace(/\s+/g, " ").replace(/\.?$/, ".");
  return `${printable(sentence)} Usage: ${usage}`;
}

/** One line; for an unexpected error its stack. */
export function explain(error: unknown): string {
  if (error instanceof SettingsError) return printable(error.message);
  if (error instanceof StoreError) {
    return printable([error.message, error.hint].filter(Boolean).join(". "));
  }
  if (codeOf(error) !== undefined) return printable(messageOf(error));
  return (error instanceof Error ? error.stack : undefined) ?? messageOf(error);
}
