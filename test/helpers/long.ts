/** True in `npm run test:long`: more random draws, rounds and processes. */
export const isLong: boolean = process.env["FORNO_TESTS"] === "long";
