/** Why a token is not believed, told to the client that sent it. */

/**
 * Why a token was refused, in words for the 401. Never holds anything of the token but its dates,
 * and only the characters that `error_description` may hold (RFC 6750 section 3).
 */
export class TokenError extends Error {
  override readonly name = "TokenError";
}
