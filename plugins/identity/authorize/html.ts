/** Writing HTML in which everything that is filled in is escaped. */

/** Markup that is safe to send. */
export class Html {
  readonly markup: string
  constructor(markup: string) {
    this.markup = markup
  }
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '\r': '&#13;',
  '\n': '&#10;',
}

/**
 * Template tag: texts that are filled in are escaped for elements and quoted attributes, `Html` goes in as it is, lists
 * one after the other. Line ends are written as references too, since a browser would change them in attributes.
 */
export function html(parts: TemplateStringsArray, ...values: (string | Html | readonly Html[])[]): Html {
  return new Html(parts.reduce((markup, part, index) => markup + toMarkup(values[index - 1]!) + part))
}

function toMarkup(value: string | Html | readonly Html[]): string {
  if (typeof value === 'string') return value.replace(/[&<>"'\r\n]/g, character => ENTITIES[character]!)
  return value instanceof Html ? value.markup : value.map(toMarkup).join('')
}
