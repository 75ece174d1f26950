/** Serializes configuration as YAML. */
import { Document, isNode } from 'yaml'

/** The value as a YAML document; `comment` is added after the node at its path. */
export function writeYaml(value: object, comment?: { at: (string | number)[]; text: string }): string {
  // YAML 1.1 parsers misread unquoted dates and `no`, and not all support aliases.
  const document = new Document(value, { compat: 'yaml-1.1', aliasDuplicateObjects: false })
  const node = comment && document.getIn(comment.at, true)
  if (comment && isNode(node)) node.comment = comment.text
  return document.toString({ lineWidth: 0 })
}
