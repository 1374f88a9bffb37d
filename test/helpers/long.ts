/** Whether this is `npm run test:long`: more draws, rounds and processes. */
export const isLong: boolean = process.env["FORNO_TESTS"] === "long";
