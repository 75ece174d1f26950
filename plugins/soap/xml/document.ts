/**
 * Parses a document to its root element. `fast-xml-parser` finds tags and attributes. This module rejects what the parser
 * accepts although XML or SOAP does not: document types, custom entities, several roots, undeclared prefixes, and illegal
 * characters.
 */
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { malformed, type SoapFault } from '../faults.ts'
import type { Element } from './element.ts'
import { Scope } from './namespaces.ts'
import { checkCharacters, resolveReferences } from './references.ts'

const MAX_DEPTH = 32
/** Far more than any message needs; parsing a megabyte of empty elements would take seconds. */
const MAX_TAGS = 10_000
/** The same for attributes. */
const MAX_ATTRIBUTES = 10_000
const TEXT = '#text'
const CDATA = '#cdata'
const ATTRIBUTES = ':@'
const DECLARATION = '?xml'

/** The parser's own order-preserving tree: one key for the name, one for the attributes. */
type ParsedNode = Record<string, unknown>

/** Throws a fault if the document is not well-formed or is nested more than 32 elements deep. */
export function readDocument(text: string): Element {
  if (text.trim() === '') throw malformed('the message is empty')
  checkCharacters(text)
  checkMarkup(text)
  // The parser ignores text after the last tag.
  if (text.slice(text.lastIndexOf('>') + 1).trim() !== '') throw outsideRoot()
  const problem = XMLValidator.validate(text)
  if (problem !== true) throw malformed(`${problem.err.msg} (line ${problem.err.line})`)
  return toRoot(parse(text))
}

/**
 * Rejects document types and unterminated markup. Scans from each `<!` to the next, because a regular expression that
 * skips comments would restart at each unterminated `<!--`.
 */
function checkMarkup(text: string): void {
  let tags = 0
  for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at + 1))
    if (++tags > MAX_TAGS) throw malformed(`too many tags (at most ${MAX_TAGS})`)
  let attributes = 0
  for (const _ of text.matchAll(/=\s*["']/g))
    if (++attributes > MAX_ATTRIBUTES) throw malformed(`too many attributes (at most ${MAX_ATTRIBUTES})`)
  let at = text.indexOf('<!')
  while (at !== -1) {
    const end = text.startsWith('<!--', at)
      ? endOfComment(text, at + 4)
      : text.startsWith('<![CDATA[', at)
        ? endOf(text, ']]>', at)
        : null
    if (end === null)
      throw malformed(
        /^<!DOCTYPE/i.test(text.slice(at, at + 9))
          ? 'document types (DTD) are not allowed'
          : 'markup declarations are not allowed',
      )
    at = text.indexOf('<!', end)
  }
}

function outsideRoot(): SoapFault {
  return malformed('text is not allowed outside the root element')
}

function endOfComment(text: string, from: number): number {
  const dashes = text.indexOf('--', from)
  if (dashes === -1 || text[dashes + 2] !== '>') throw malformed('a comment must end with --> and must not contain --')
  return dashes + 3
}

function endOf(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from)
  if (at === -1) throw malformed(`${mark} is missing`)
  return at + mark.length
}

function parse(text: string): ParsedNode[] {
  // A new parser each time, because a parser keeps state.
  const parser = new XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: '',
    processEntities: false,
    parseTagValue: false,
    parseAttributeValue: false,
    trimValues: false,
    cdataPropName: CDATA,
  })
  try {
    return parser.parse(text) as ParsedNode[]
  } catch (error) {
    // Names such as __proto__, and nesting beyond the limit of the parser.
    throw malformed((error as Error).message)
  }
}

function toRoot(nodes: ParsedNode[]): Element {
  if (nodes.some(node => TEXT in node && String(node[TEXT]).trim() !== '')) throw outsideRoot()
  if (nodes.some((node, index) => index > 0 && DECLARATION in node))
    throw malformed('the XML declaration must be at the start')
  const roots = nodes.filter(node => !(TEXT in node) && !isInstruction(node))
  if (roots.length !== 1 || CDATA in roots[0]!) throw malformed(`${roots.length} root elements (expected one)`)
  return toElement(roots[0]!, Scope.ROOT, 1)
}

function isInstruction(node: ParsedNode): boolean {
  return nameOf(node).startsWith('?')
}

function nameOf(node: ParsedNode): string {
  return Object.keys(node).find(key => key !== ATTRIBUTES)!
}

function toElement(node: ParsedNode, outer: Scope, depth: number): Element {
  if (depth > MAX_DEPTH) throw malformed(`nested too deeply (at most ${MAX_DEPTH} elements)`)
  const name = nameOf(node)
  const written = Object.entries((node[ATTRIBUTES] ?? {}) as Record<string, string>).map(([attribute, value]) => ({
    name: attribute,
    value: readAttribute(value),
  }))
  const scope = outer.within(written)
  return {
    name,
    ...scope.resolveElement(name),
    attributes: scope.resolveAttributes(written),
    children: (node[name] as ParsedNode[])
      .filter(child => !isInstruction(child))
      .map(child => toChild(child, scope, depth)),
  }
}

function toChild(child: ParsedNode, scope: Scope, depth: number): Element | string {
  if (CDATA in child) return (child[CDATA] as ParsedNode[]).map(part => String(part[TEXT])).join('')
  if (!(TEXT in child)) return toElement(child, scope, depth + 1)
  const text = String(child[TEXT])
  if (text.includes(']]>')) throw malformed(']]> is not allowed in text')
  return resolveReferences(text)
}

function readAttribute(value: string): string {
  if (value.includes('<')) throw malformed('< is not allowed in an attribute')
  return resolveReferences(value)
}
