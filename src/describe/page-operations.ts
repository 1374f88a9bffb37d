/** The two pages and their files, described. */

import { Problem } from "../problems/problem.ts";
import type { Components } from "./components.ts";
import { type OperationRows, readAnswers } from "./operation.ts";
import { describeParameters } from "./parameters.ts";

const text = { type: "string" };

export function pageOperations(components: Components): OperationRows {
  const headers = ["Cache-Control", "ETag", "Content-Security-Policy", "Referrer-Policy"];
  const parameters = describeParameters(components, ["IfNoneMatch"]);
  const html = { headers, content: { "text/html": { schema: text } } };
  const noFile = new Problem("not-found", "there is no such file of a page");
  const types = ["text/css", "text/javascript", "image/svg+xml"];
  return {
    "GET /": () => ({
      id: "getOrderPage",
      tag: "pages",
      summary: "The order page",
      description: "Where customers order.",
      parameters,
      answers: readAnswers("The page.", html),
    }),
    "GET /board": () => ({
      id: "getBoard",
      tag: "pages",
      summary: "The kitchen board",
      description: "Where staff see what is to be made. With a trailing slash: 308.",
      parameters,
      answers: {
        ...readAnswers("The page.", html),
        308: { description: "The path without the slash.", headers: ["Cache-Control", "Location"] },
      },
    }),
    "GET /pages/:name": () => ({
      id: "getPageFile",
      tag: "pages",
      summary: "A file of a page",
      description: "Styles, scripts and pictures.",
      pathParameters: describeParameters(components, ["PageFile"]),
      parameters,
      answers: readAnswers("The file.", {
        headers,
        content: Object.fromEntries(types.map((type) => [type, { schema: text }])),
      }),
      refusals: [{ scope: "PageFile", problem: noFile }],
    }),
  };
}
