/** The wire formats that the playground supports, by their names in `GET /ai`. */
import type { WireFormat } from '../types.ts'
import { anthropic } from './anthropic.ts'
import { bedrock } from './bedrock.ts'
import { cohere } from './cohere.ts'
import { gemini } from './gemini.ts'
import { ollama } from './ollama.ts'
import { azure, openai } from './openai.ts'

const FORMATS: Record<string, WireFormat> = { openai, azure, anthropic, gemini, bedrock, ollama, cohere }

/** Null for a format that a plugin adds. */
export function formatOf(name: string): WireFormat | null {
  return Object.hasOwn(FORMATS, name) ? FORMATS[name]! : null
}
