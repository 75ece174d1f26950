/** Selects the tool to call, by how well its name and description match what the user asks for. */
import type { NeutralRequest, Tool } from '../contract/neutral.ts'
import { identifiersIn } from './identifiers.ts'
import { spacedName } from './sample-text.ts'
import { Phrases } from './scripted.ts'
import { toolStopWords } from './stop-words.ts'
import { findTool, flatName, namesOf } from './tool-names.ts'
import { words } from './tokens.ts'

/** Words of the user text at its beginning, and at its end, that choose a tool: each tool is compared with all of them. */
const COMPARED_WORDS = 500
/** The score from which a tool is called that is not forced. */
const CALLED_FROM = 3
const NAME_SCORE = 10
const NAME_PART_SCORE = 3
const DESCRIPTION_WORD_SCORE = 1
const DESCRIBED_CHARACTERS = 120

/**
 * Parts of the names of tools that change something on a machine. Coding agents run them without asking, with whatever
 * arguments the model made up: such a tool is called only if the user writes its name, or if it is forced.
 */
const ACTING: ReadonlySet<string> = new Set(
  'bash shell exec execute terminal stdin command write edit replace patch delete remove kill'.split(' '),
)

/** The tool that the request forces, also after tool results; undefined if it leaves the choice to the model. */
export function chooseForcedTool(request: NeutralRequest, askedText: string): Tool | undefined {
  const { toolChoice } = request
  const tools = callableTools(request)
  if (typeof toolChoice === 'object') return findTool(tools, toolChoice)
  if (toolChoice !== 'required') return undefined
  // A model that must call something on every turn takes the next tool: structured output is often the last of them.
  const used = usedNames(request)
  const unused = tools.filter(tool => !namesOf(tool).some(name => used.has(name)))
  return bestTool(unused, new AskedWords(askedText), 1) ?? unused[0] ?? tools[0]
}

/** The tool that the user asks for; undefined if the request forbids calls or no tool matches well enough. */
export function chooseAskedTool(request: NeutralRequest, askedText: string): Tool | undefined {
  if (request.toolChoice === 'none') return undefined
  const asked = new AskedWords(askedText)
  const tools = callableTools(request).filter(
    tool => !isActing(tool) || namesOf(tool).some(name => asked.hasAsWritten(name)),
  )
  return bestTool(tools, asked, CALLED_FROM)
}

/** If there are others, tools whose input follows a grammar are called by rules only. */
function callableTools({ tools }: NeutralRequest): readonly Tool[] {
  return tools.some(tool => tool.input === 'grammar') ? tools.filter(tool => tool.input !== 'grammar') : tools
}

/** The names that messages of the assistant call or mention. */
function usedNames({ messages }: NeutralRequest): ReadonlySet<string> {
  const used = new Set<string>()
  for (const { role, parts } of messages) {
    if (role !== 'assistant') continue
    for (const part of parts) {
      if (part.type === 'call') used.add(flatName(part))
      else if (part.type === 'text') for (const name of identifiersIn(part.text)) used.add(name)
    }
  }
  return used
}

function isActing({ name }: Tool): boolean {
  return spacedName(name)
    .split(' ')
    .some(part => ACTING.has(part))
}

/** What the user asks for, as the words and names that tools are compared with. */
class AskedWords {
  readonly set: ReadonlySet<string>
  readonly phrases: Phrases
  readonly #text: string
  #identifiers: ReadonlySet<string> | undefined

  constructor(text: string) {
    const all = words(text)
    const compared =
      all.length <= 2 * COMPARED_WORDS ? all : [...all.slice(0, COMPARED_WORDS), ...all.slice(-COMPARED_WORDS)]
    this.set = new Set(compared)
    this.phrases = new Phrases(compared)
    this.#text = text
  }

  /** Whether the text has the name of a tool as it is written; a name that is also a word, in backticks. */
  hasAsWritten(name: string): boolean {
    this.#identifiers ??= new Set(identifiersIn(this.#text))
    return this.#identifiers.has(spacedName(name).includes(' ') ? name : `\`${name}\``)
  }
}

/** The first tool with the highest score; undefined if no tool has the score `from`. */
function bestTool(tools: readonly Tool[], asked: AskedWords, from: number): Tool | undefined {
  let best: Tool | undefined
  let bestScore = from - 1
  for (const tool of tools) {
    const score = scoreTool(tool, asked)
    if (score > bestScore) {
      best = tool
      bestScore = score
    }
  }
  return best
}

function scoreTool(tool: Tool, asked: AskedWords): number {
  const name = spacedName(tool.name)
  let score = !toolStopWords.has(name) && asked.phrases.includes(name) ? NAME_SCORE : 0
  for (const part of name.split(' '))
    if (part.length >= 3 && !toolStopWords.has(part) && asked.set.has(part)) score += NAME_PART_SCORE
  for (const word of new Set(words(firstSentence(tool.description))))
    if (word.length >= 4 && !toolStopWords.has(word) && asked.set.has(word)) score += DESCRIPTION_WORD_SCORE
  return score
}

function firstSentence(description: string): string {
  const start = description.trimStart().slice(0, DESCRIBED_CHARACTERS)
  const end = /[.!?](?=\s|$)|[\r\n]/.exec(start)
  return end === null ? start : start.slice(0, end.index)
}
