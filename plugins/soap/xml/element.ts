/** Owns the shape of an element that has been read. */

export interface Attribute {
  /** Empty for none. */
  namespace: string
  local: string
  value: string
}

/** Elements and text of an element, comments and processing instructions left out. */
export interface Element {
  /** As written, with the prefix. */
  name: string
  local: string
  /** Empty for none. */
  namespace: string
  attributes: Attribute[]
  children: (Element | string)[]
}

export function childElements(element: Element): Element[] {
  return element.children.filter(child => typeof child !== 'string')
}

/** Text of an element and everything within. */
export function textOf(element: Element): string {
  return element.children.map(child => (typeof child === 'string' ? child : textOf(child))).join('')
}
