/** Reads items of the Responses API, of requests and replies. */
import { readArguments, readUrl } from '../neutral.ts'
import { markOf } from '../chat/read-request.ts'
import type { Part, Problem } from '../types.ts'
import { firstOf, listOf, member, membersOf, textOf, type Members } from '../values.ts'

/** The parts of an item that is not a result or a message of the user. */
export function readOutputItem(item: Members, at: string, problems: Problem[]): Part[] {
  switch (item.type) {
    case undefined:
    case 'message':
      return readContent(item.content, `${at}/content`, problems)
    case 'function_call':
    case 'custom_tool_call': {
      const args = textOf(firstOf(item.arguments, item.input)) ?? ''
      return [
        {
          type: 'call',
          id: textOf(firstOf(item.call_id, item.id)),
          name: textOf(item.name) ?? '',
          args: item.type === 'function_call' ? readArguments(args, `${at}/arguments`, problems) : args,
        },
      ]
    }
    case 'reasoning':
      return readReasoning(item)
    case 'item_reference':
      problems.push({ at, text: 'an item by its id' })
      return []
    default:
      // A search or another action of the vendor.
      return [{ type: 'other', name: textOf(item.type) ?? '', value: item }]
  }
}

/** Summaries, or the text itself where a server shows it. */
function readReasoning({ summary, content, encrypted_content }: Members): Part[] {
  const textsOf = (list: unknown): string =>
    listOf(list)
      .map(part => textOf(member(part, 'text')) ?? '')
      .join('')
  const text = textsOf(summary) || textsOf(content)
  const sealed = textOf(encrypted_content)
  return text === '' && sealed === null ? [] : [{ type: 'thinking', text, signature: sealed === '' ? null : sealed }]
}

/** A text, or a list of parts. */
export function readContent(content: unknown, at: string, problems: Problem[]): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return listOf(content).flatMap((part, index) => readPart(membersOf(part), `${at}/${index}`, problems))
}

function readPart(part: Members, at: string, problems: Problem[]): Part[] {
  const given = markOf(part)
  const mark = given === undefined ? {} : { mark: given }
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return [{ type: 'text', text: textOf(part.text) ?? '', ...mark }]
    case 'refusal':
      return [{ type: 'refusal', text: textOf(part.refusal) ?? '' }]
    case 'input_image': {
      const url = textOf(firstOf(part.image_url, member(part.image_url, 'url')))
      const source = url === null ? { mediaType: null, data: null, url: null, id: textOf(part.file_id) } : readUrl(url)
      return [{ type: 'image', ...source, ...mark }]
    }
    case 'input_file': {
      const data = textOf(part.file_data)
      const source = readUrl(firstOf(data, part.file_url, 'data:,') as string)
      const id = textOf(part.file_id)
      const isById = data === null && id !== null
      return [{ type: 'file', ...source, ...(isById ? { data: null, id } : {}), name: textOf(part.filename), ...mark }]
    }
    default:
      problems.push({ at, text: 'an unknown part' })
      return []
  }
}
