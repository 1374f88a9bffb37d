/** Content negotiation: parses Accept-Encoding and Accept-Language (RFC 9110 section 12.4.2). */

/** The field's values in lower case, highest quality first, without refused ones (q=0). */
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
