/** What a client would rather be given, as its Accept-… fields say it (RFC 9110 section 12.4.2). */

/**
 * The values of such a field in lower case, the most wanted first; what it refuses (q=0) is left
 * out. Undefined: not sent, and nothing is wanted more than anything else.
 */
export function preferences(header: string | undefined): readonly string[] {
  return (header ?? "")
    .split(",")
    .map(weighted)
    .filter(({ value, quality }) => value !== "" && quality > 0)
    .sort((one, other) => other.quality - one.quality)
    .map(({ value }) => value);
}

function weighted(member: string): { value: string; quality: number } {
  const [value = "", ...parameters] = member.toLowerCase().split(";").map((part) => part.trim());
  const weight = parameters.find((one) => one.startsWith("q="))?.slice(2);
  return { value, quality: weight === undefined ? 1 : Number(weight) };
}
