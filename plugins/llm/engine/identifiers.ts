/** Names of functions as they are written in texts. */

const NAME = /`?[\p{L}\p{N}_-]+(?:[.:/][\p{L}\p{N}_-]+)*`?/gu
const NAME_PART = /[\p{L}\p{N}_-]+/gu

/**
 * All names in a text: `get_weather`, `web.search` and its parts. A name between backticks is given with and without them.
 */
export function* identifiersIn(text: string): Generator<string> {
  for (const [found] of text.matchAll(NAME)) {
    yield found
    for (const [part] of found.matchAll(NAME_PART)) if (part !== found) yield part
    if (found.startsWith('`') && found.endsWith('`')) yield found.slice(1, -1)
  }
}
