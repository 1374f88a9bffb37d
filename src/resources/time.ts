/**
 * Times: the one format in which they are stored, and the spellings that clients may send. This
 * file also runs in a browser.
 */

/** The last time, in milliseconds, whose year has four digits. */
const lastTime = Date.parse("9999-12-31T23:59:59.999Z");

const storedTime =
  /^\d{4}-(?:0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** True for a stored time. All have this one format (RFC 3339, UTC), so they compare as texts. */
export function isStoredTime(value: unknown): value is string {
  if (typeof value !== "string") return false;
  const [, day] = storedTime.exec(value) ?? [];
  // JavaScript parses February 30 as March 1 or 2.
  return day !== undefined && (Number(day) <= 28 || new Date(value).toISOString() === value);
}

const hoursMinutes = "(?:[01]\\d|2[0-3]):[0-5]\\d";
const dateTime = new RegExp(
  `^(\\d{4}-\\d\\d-\\d\\d)[T ](${hoursMinutes}:[0-5]\\d)(\\.\\d+)?(Z|[+-]${hoursMinutes})$`,
  "i",
);

/**
 * Parses an RFC 3339 time (section 5.6) and converts it to UTC, in milliseconds, as stored times
 * are. Undefined for any other text.
 */
export function parseTime(text: string): string | undefined {
  const found = dateTime.exec(text);
  // Date.parse takes long for what is no date, and most orders are not wanted at a time.
  if (found === null) return undefined;
  const [, date = "", time, fraction = "", zone = ""] = found;
  // JavaScript parses February 30 as March 1 or 2, and month 13 not at all.
  const midnight = Date.parse(`${date}T00:00Z`);
  if (Number.isNaN(midnight)) return undefined;
  if (new Date(midnight).toISOString().slice(0, 10) !== date) return undefined;
  const milliseconds = Date.parse(`${date}T${time}${fraction}${zone.toUpperCase()}`);
  return milliseconds > lastTime ? undefined : new Date(milliseconds).toISOString();
}

/** `now`, or a millisecond after `last` if the clock was set back. Both are stored times. */
export function laterThan(last: string, now: string): string {
  if (now > last) return now;
  return new Date(Math.min(Date.parse(last) + 1, lastTime)).toISOString();
}
