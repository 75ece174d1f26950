/** Owns how configuration is written as YAML. */
import { Document, isNode } from 'yaml'

/** The value as a document; `comment` goes behind the node at that path. */
export function writeYaml(value: object, comment?: { at: (string | number)[]; text: string }): string {
  // Readers of YAML 1.1 take a date or `no` without quotes for something else, and not all follow aliases.
  const document = new Document(value, { compat: 'yaml-1.1', aliasDuplicateObjects: false })
  const node = comment && document.getIn(comment.at, true)
  if (comment && isNode(node)) node.comment = comment.text
  return document.toString({ lineWidth: 0 })
}
