/**
 * GET /problems/{type} (contract part 3): the page at a problem's `type`. It explains the problem
 * and says what to do, in HTML for browsers and in plain text for other clients.
 */

import { hash } from "node:crypto";
import { conditional, strongTag } from "../http/etag.ts";
import { noCache, type Response } from "../http/response.ts";
import type { Request } from "../http/request.ts";
import type { Route } from "../http/route.ts";
import { didYouMean } from "../problems/faults.ts";
import { isProblemType, type ProblemType, problemTypes } from "../problems/problem-types.ts";
import { Problem } from "../problems/problem.ts";
import { serviceTag } from "./openapi-info.ts";

const types = Object.keys(problemTypes);

export const problemPagesRoute: Route = {
  method: "GET",
  path: "/problems/:type",
  rule: "anyone",
  vary: "Accept",
  handle: problemPage,
  operation: {
    id: "getProblemType",
    tag: serviceTag,
    summary: "What a problem means",
    description: "What a problem of this type means and what to do: HTML in a browser, else text.",
    parameters: [
      {
        name: "type",
        in: "path",
        required: true,
        description: "The last part of a problem's `type`.",
        schema: { type: "string" },
        example: "not-found",
      },
    ],
    success: {
      description: "The page.",
      headers: ["ETag"],
      content: { "text/plain": { type: "string" }, "text/html": { type: "string" } },
    },
  },
};

const style =
  ":root { color-scheme: light dark; font: 1.125rem/1.5 system-ui, sans-serif } " +
  "body { max-width: 40rem; margin: 2rem auto; padding: 0 1rem }";
const policy =
  `default-src 'none'; style-src 'sha256-${hash("sha256", style, "base64")}'; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const hardening = ["Content-Security-Policy", policy, "Referrer-Policy", "no-referrer"];

/** Throws Problem 404. */
function problemPage({ param, headers }: Request): Response {
  if (!isProblemType(param)) {
    const guess = didYouMean(param, types);
    throw new Problem("not-found", `no problem type has this name${guess} (see /openapi.json)`);
  }
  const isBrowser = headers.accept?.includes("text/html") === true;
  const body = isBrowser ? htmlOf(param) : textOf(param);
  const type = `${isBrowser ? "text/html" : "text/plain"}; charset=utf-8`;
  const own = ["Content-Type", type, "ETag", strongTag(body), ...noCache, ...hardening];
  return conditional({ status: 200, headers: own, body }, headers);
}

function textOf(type: ProblemType): string {
  const { status, title, meaning, remedy } = problemTypes[type];
  return `${status} ${title} (/problems/${type})

What it means: ${meaning}

What to do: ${remedy}
`;
}

/** The texts contain no characters that need escaping in HTML. */
function htmlOf(type: ProblemType): string {
  const { status, title, meaning, remedy } = problemTypes[type];
  const marked = (text: string): string => text.replaceAll(/`([^`]*)`/g, "<code>$1</code>");
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${style}</style>
<h1>${title}</h1>
<p>${status}, <code>/problems/${type}</code>
<h2>What it means</h2>
<p>${marked(meaning)}
<h2>What to do</h2>
<p>${marked(remedy)}
</html>
`;
}
