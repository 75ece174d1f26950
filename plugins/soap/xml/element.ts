/** A parsed element. */

export interface Attribute {
  /** Empty if there is no namespace. */
  namespace: string
  local: string
  value: string
}

/** Child elements and text, without comments and processing instructions. */
export interface Element {
  /** As written, with the prefix. */
  name: string
  local: string
  /** Empty if there is no namespace. */
  namespace: string
  attributes: Attribute[]
  children: (Element | string)[]
}

export function childElements(element: Element): Element[] {
  return element.children.filter(child => typeof child !== 'string')
}

/** Text of an element and its descendants. */
export function textOf(element: Element): string {
  return element.children.map(child => (typeof child === 'string' ? child : textOf(child))).join('')
}
