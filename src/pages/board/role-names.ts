/** The roles of devices, in words. */

import { t } from "../shared/words.ts";
import type { DeviceRole } from "./dialog-types.ts";

export const roleNames: Readonly<Record<DeviceRole, string>> = {
  owner: t("Owner"), staff: t("Staff"), reader: t("View only"),
};
