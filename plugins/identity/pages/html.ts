/** Builds HTML from templates and escapes all values. */

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
 * Template tag: strings are escaped for elements and quoted attributes, `Html` is inserted unchanged, arrays are
 * concatenated. Line breaks become character references, because browsers would normalize them in attributes.
 */
export function html(parts: TemplateStringsArray, ...values: (string | Html | readonly Html[])[]): Html {
  return new Html(parts.reduce((markup, part, index) => markup + toMarkup(values[index - 1]!) + part))
}

function toMarkup(value: string | Html | readonly Html[]): string {
  if (typeof value === 'string') return value.replace(/[&<>"'\r\n]/g, character => ENTITIES[character]!)
  return value instanceof Html ? value.markup : value.map(toMarkup).join('')
}
