/** The objects that the routes share. commands/server.ts makes each of them once. */

import type { Callers } from "../auth/callers.ts";
import type { Codes } from "../auth/codes.ts";
import type { RateLimit } from "../http/rate-limit.ts";
import type { Settings } from "../settings.ts";
import type { Store } from "../store/store.ts";
import type { EventIds } from "./event-ids.ts";
import type { Feed } from "./feed.ts";

export interface Services {
  readonly settings: Settings;
  readonly store: Store;
  readonly callers: Callers;
  readonly codes: Codes;
  readonly feed: Feed;
  readonly eventIds: EventIds;
  /** The limit of customers' orders by client; null if guests may not order. */
  readonly guestLimit: RateLimit | null;
  /** Signs the tokens that the service issues. */
  readonly signingKey: Uint8Array;
}
