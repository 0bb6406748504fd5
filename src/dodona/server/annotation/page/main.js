// The page of `dodona annotate`: one sentence at a time, in the order of a queue.

import { ask } from "./api.js";
import { Annotator } from "./annotator.js";
import { message } from "./dom.js";
import { prepareTheme } from "./theme.js";

prepareTheme();
try {
  await new Annotator(document.getElementById("annotation"), await ask("project")).start();
} catch (error) {
  document.getElementById("messages").append(message(error.message, "fault"));
}
document.documentElement.dataset.ready = "";
