# Turns the lines of GET /api/backup?follow=true into SQL, for forno-warehouse. A header and its
# resources replace all rows of the shop in one transaction. Each change is one of its own.
def sql: "'" + gsub("'"; "''") + "'";
def body: (.data + .kept) + if .event | startswith("shop.") then {id: "shop"} else {} end;
($shop | sql) as $of_shop
| foreach inputs as $line ({left: 0};
  if $line == "" then .out = ""  # Keeps the pipe in use, so that a dead psql is noticed.
  else
    ($line | fromjson) as $entry
    | if $entry.forno then
        .left = $entry.resources
        | .out = "begin; delete from forno.resource where shop = \($of_shop); "
          + "insert into forno.position values (\($of_shop), \($entry.seq)) "
          + "on conflict (shop) do update set seq = excluded.seq; copy forno.resource from stdin;"
      elif .left > 0 then
        ($entry | body + {seq}) as $body
        | .left -= 1
        | .out = ([$shop, ($entry.event | split(".")[0]), $body.id, ($body | tojson)] | @tsv)
      else
        .out = "select forno.apply(\($of_shop), \($entry.seq), \($entry.event | sql), "
          + "\($entry | body | tojson | sql));"
      end
    | if $entry.after == null and .left == 0 then .out += "\n\\.\ncommit;" else . end
  end;
  .out)
