/** Settings of llm-d-inference-sim: of its file, or the arguments of a container. */
import type { Json, JsonObject } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import type { ItemPath } from '../../../import/types.ts'

/** Settings by name, each with its place. */
export type SimulatorSettings = Map<string, { value: Json; path: ItemPath }>

const SIGNS = ['max-num-seqs', 'max-model-len', 'time-to-first-token', 'mode', 'served-model-name']
/** Objects of the file whose members are settings. */
const GROUPS = ['latencies', 'kvcache']
const IMAGE = /llm-d-inference-sim/
const MAX_DEPTH = 12

/** The settings of each simulator in a document. */
export function simulatorsIn(document: Json): SimulatorSettings[] {
  if (!isRecord(document)) return []
  const own = document as JsonObject
  if (own.model !== undefined && (SIGNS.some(name => own[name] !== undefined) || isRecord(own.latencies)))
    return [ofFile(own)]
  return own.kind === 'Deployment' || own.kind === 'Pod' || own.kind === 'StatefulSet' ? ofContainers(own, [], 0) : []
}

function ofFile(document: JsonObject): SimulatorSettings {
  const settings: SimulatorSettings = new Map()
  for (const [name, value] of Object.entries(document))
    if (GROUPS.includes(name) && isRecord(value))
      for (const [inner, member] of Object.entries(value as JsonObject))
        settings.set(inner, { value: member, path: [name, inner] })
    else settings.set(name, { value, path: [name] })
  return settings
}

/** Containers whose image or arguments are those of the simulator. */
function ofContainers(value: Json, path: ItemPath, depth: number): SimulatorSettings[] {
  if (depth > MAX_DEPTH) return []
  if (Array.isArray(value)) return value.flatMap((item, index) => ofContainers(item, [...path, index], depth + 1))
  if (!isRecord(value)) return []
  const given = value as JsonObject
  const words = [...listOf(given.command, 'command'), ...listOf(given.args, 'args')]
  if (words.length > 0 && given.name !== undefined) {
    const settings = ofArguments(words, path)
    const isSimulator =
      (typeof given.image === 'string' && IMAGE.test(given.image)) || SIGNS.some(name => settings.has(name))
    if (isSimulator && settings.has('model')) return [settings]
  }
  return Object.entries(given).flatMap(([name, member]) => ofContainers(member, [...path, name], depth + 1))
}

function listOf(value: Json | undefined, name: string): { text: string; at: ItemPath }[] {
  return Array.isArray(value) ? value.map((item, index) => ({ text: String(item), at: [name, index] })) : []
}

/** `--name value`, `--name=value`, `--name`; several values of one name are a list. */
function ofArguments(words: readonly { text: string; at: ItemPath }[], path: ItemPath): SimulatorSettings {
  const settings: SimulatorSettings = new Map()
  for (let index = 0; index < words.length; index++) {
    const { text, at } = words[index]!
    const found = /^--?([A-Za-z][\w-]*)(?:=([^]*))?$/.exec(text)
    if (found === null) continue
    const values: string[] = found[2] === undefined ? [] : [found[2]]
    while (found[2] === undefined && words[index + 1] !== undefined && !/^--?[A-Za-z]/.test(words[index + 1]!.text))
      values.push(words[++index]!.text)
    const value: Json = values.length === 0 ? true : values.length === 1 ? values[0]! : values
    settings.set(found[1]!, { value, path: [...path, ...at] })
  }
  return settings
}
