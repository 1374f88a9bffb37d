import { storeOf } from "../shared/store.ts";
import { firstState } from "./state.ts";

export const { state, set, drawNow, onChange } = storeOf(firstState);
