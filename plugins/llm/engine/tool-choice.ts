/** Selects the tool to call, by how well its name and description match the last user text. */
import type { NeutralRequest, Tool } from '../contract/neutral.ts'
import { spacedName } from './sample-text.ts'
import { Phrases } from './scripted.ts'
import { toolStopWords } from './stop-words.ts'
import { words } from './tokens.ts'

/** Words of the user text at its beginning, and at its end, that choose a tool: each tool is compared with all of them. */
const COMPARED_WORDS = 500

/** The tool to call; undefined if no tool is forced and no tool matches. */
export function chooseTool(request: NeutralRequest, userText: string): Tool | undefined {
  const { toolChoice } = request
  const tools = request.tools.some(tool => tool.input === 'grammar')
    ? request.tools.filter(tool => tool.input !== 'grammar')
    : request.tools
  if (tools.length === 0 || toolChoice === 'none') return undefined
  if (typeof toolChoice === 'object') {
    const named = tools.find(tool => tool.name === toolChoice.name)
    if (named !== undefined) return named
  }
  const best = bestTool(tools, userText)
  return best ?? (toolChoice === 'required' ? tools[0] : undefined)
}

/** The first tool with the highest score; undefined if all scores are 0. */
function bestTool(tools: readonly Tool[], userText: string): Tool | undefined {
  const all = words(userText)
  const userWords =
    all.length <= 2 * COMPARED_WORDS ? all : [...all.slice(0, COMPARED_WORDS), ...all.slice(-COMPARED_WORDS)]
  const userWordSet = new Set(userWords)
  const phrases = new Phrases(userWords)
  let best: Tool | undefined
  let bestScore = 0
  for (const tool of tools) {
    const score = scoreTool(tool, phrases, userWordSet)
    if (score > bestScore) {
      best = tool
      bestScore = score
    }
  }
  return best
}

function scoreTool(tool: Tool, phrases: Phrases, userWordSet: ReadonlySet<string>): number {
  const name = spacedName(tool.name)
  let score = phrases.includes(name) ? 10 : 0
  for (const part of name.split(' '))
    if (part.length >= 3 && !toolStopWords.has(part) && userWordSet.has(part)) score += 3
  for (const word of new Set(words(tool.description)))
    if (word.length >= 4 && !toolStopWords.has(word) && userWordSet.has(word)) score += 1
  return score
}
