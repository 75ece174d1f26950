/** Reads the JSON or YAML of a file. */
import type { Json } from 'svc/plugin'
import { isTextNestedWithin, parseYaml, YamlProblem } from 'svc/toolkit'
import type { ItemPath } from '../types.ts'
import { jsonPositions, positionAt, type Position } from './json-positions.ts'

export interface SourceDocument {
  value: Json
  isJson: boolean
  locate(path: ItemPath): Position
}

/** The text is not a document that can be read. */
export class DocumentProblem extends Error {
  readonly position: Position
  constructor(message: string, position: Position) {
    super(message)
    this.position = position
  }
}

const START: Position = { line: 1, column: 1 }

/** Reads JSON (by its first character, or the name) or YAML. Throws a `DocumentProblem`. */
export function readDocument(name: string, text: string, maxDepth: number): SourceDocument {
  if (/\.(?:json|har)$/i.test(name) || /^\s*[[{]/.test(text)) return readJson(text, maxDepth)
  try {
    const { value, locate } = parseYaml(text)
    return { value: value as Json, isJson: false, locate: path => locate(path) ?? START }
  } catch (error) {
    if (!(error instanceof YamlProblem)) throw error
    throw new DocumentProblem(error.message, error.position ?? START)
  }
}

function readJson(text: string, maxDepth: number): SourceDocument {
  if (!isTextNestedWithin(text, maxDepth)) throw new DocumentProblem(`nested more than ${maxDepth} levels deep`, START)
  try {
    return { value: JSON.parse(text) as Json, isJson: true, locate: jsonPositions(text) }
  } catch (error) {
    const { message } = error as Error
    const position = /position (\d+)/.exec(message)?.[1]
    const reason = message.replace(/ in JSON at position.*$/s, '').replace(/,? ?"?\.{3}[^]*$/, '')
    throw new DocumentProblem(
      `not JSON: ${reason}`,
      positionAt(text, position === undefined ? text.length : Number(position)),
    )
  }
}
