# Turns the lines of GET /api/backup?follow=true into SQL, for forno-warehouse. A document replaces
# all rows of its shop in one transaction. Each record after it is a transaction of its own.
def sql: "'" + gsub("'"; "''") + "'";
def without_comma: rtrimstr(",");
foreach inputs as $line ({};
  .out = null
  | if .in_document | not then
      if $line == "" then .out = ""  # Keeps the pipe in use, so that a dead psql is noticed.
      elif $line == "{" then
        .in_document = true
        | .out = "begin; delete from forno.resource where shop = \($shop | sql);"
      else
        ($line | fromjson) as $record
        | if $record.event then
            .out = "select forno.apply(\($shop | sql), \($record.seq), \($record.event | sql), "
              + "\($record.data | tojson | sql));"
          else . end
      end
    elif $line | startswith("{\"id\":") then
      ($line | without_comma | fromjson | del(.crc)) as $row
      | .out = ([$shop, .kind, $row.id, ($row | tojson)] | @tsv)
    elif $line | endswith(":[") then
      .kind = $line[1:-3] | .out = "copy forno.resource from stdin;"
    elif $line | startswith("]") then .out = "\\."
    elif $line | startswith("\"seq\":") then .seq = ($line[6:] | without_comma)
    elif $line | startswith("\"shop\":") then
      ($line[7:] | without_comma | fromjson | del(.crc) + {id: "shop"}) as $row
      | .out = "insert into forno.resource values "
        + "(\($shop | sql), 'shop', 'shop', \($row | tojson | sql));"
    elif $line == "}" then
      .in_document = false
      | .out = "insert into forno.position values (\($shop | sql), \(.seq)) "
        + "on conflict (shop) do update set seq = excluded.seq; commit;"
    else . end;
  .out // empty)
