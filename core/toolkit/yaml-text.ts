/** Writes large values as YAML without blocking others. */
import { stringify, type CreateNodeOptions, type DocumentOptions, type SchemaOptions, type ToStringOptions } from 'yaml'
import type { Pacer } from '../contract/budgets.ts'
import type { Json, JsonObject } from '../contract/json.ts'
import { isRecord } from '../contract/record.ts'

export type YamlOptions = DocumentOptions & SchemaOptions & CreateNodeOptions & ToStringOptions

/** Members above this level are written one by one, so that there can be pauses between them. */
const MAX_LEVEL = 3
/** A larger part is written as JSON, which is YAML too and takes a hundredth of the time. */
const MAX_PART = 262_144

/** The value as a YAML document. */
export async function writeYaml(value: JsonObject, pacer: Pacer, options: YamlOptions = {}): Promise<string> {
  const lines: string[] = []
  await writeMembers(value, '')
  return lines.length === 0 ? '{}\n' : lines.join('')

  async function writeMembers(members: JsonObject, indent: string): Promise<void> {
    for (const [name, member] of Object.entries(members)) {
      if (pacer.isDue) await pacer.pause()
      const key = keyOf(name)
      if (key !== null && isRecord(member) && Object.keys(member).length > 0 && indent.length / 2 < MAX_LEVEL - 1) {
        lines.push(`${indent}${key}:\n`)
        await writeMembers(member as JsonObject, `${indent}  `)
      } else lines.push(indented(writePart(name, key, member), indent))
    }
  }

  function writePart(name: string, key: string | null, member: Json): string {
    const json = JSON.stringify(member)
    if (json.length > MAX_PART) return `${key ?? JSON.stringify(name)}: ${json}\n`
    return stringify({ [name]: member }, options)
  }

  /** Null for a name that is not written on one line. */
  function keyOf(name: string): string | null {
    const text = stringify({ [name]: 0 }, options)
    return text.endsWith(': 0\n') && text.indexOf('\n') === text.length - 1 ? text.slice(0, -': 0\n'.length) : null
  }
}

function indented(text: string, indent: string): string {
  if (indent === '') return text
  return text
    .split('\n')
    .map(line => (line === '' ? '' : indent + line))
    .join('\n')
}
