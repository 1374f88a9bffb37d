/** The roles of tokens. This file also runs in a browser. */

/** True for the roles that change orders and the menu. An owner may do all that staff may. */
export function isStaff(role: string | undefined): boolean {
  return role === "staff" || role === "owner";
}
