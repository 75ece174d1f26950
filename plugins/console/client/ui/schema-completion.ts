/** Completion of names and values in the editor from a JSON Schema. */
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete'
import type { Extension } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { jsonPlaceAt, optionsAt, type JsonSchema, type SchemaOption } from '../lib/protocol/json-place.ts'

/** Completes from the schema that the function returns; null: there is none yet. */
export function schemaCompletion(schema: () => JsonSchema | null): Extension {
  return autocompletion({ override: [context => complete(context, schema())], icons: false })
}

function complete({ state, pos, explicit }: CompletionContext, schema: JsonSchema | null): CompletionResult | null {
  const text = state.doc.toString()
  const place = schema && jsonPlaceAt(text, pos)
  if (schema === null || place === null) return null
  // Without a typed character, only Ctrl+Space opens the list.
  if (!explicit && place.from === pos) return null
  const followedByColon = /^\s*:/.test(text.slice(place.to))
  const options = optionsAt(schema, place).map(option =>
    toCompletion(option, place.expects === 'name' && !followedByColon),
  )
  return options.length === 0 ? null : { from: place.from, to: place.to, options, filter: true }
}

function toCompletion({ text, about, value = '|' }: SchemaOption, takesValue: boolean): Completion {
  const label = { label: text, detail: about }
  if (!takesValue) return label
  const [before = '', after = ''] = value.split('|')
  const start = `${text}: ${before}`
  return {
    ...label,
    apply: (view: EditorView, _completion: Completion, from: number, to: number) =>
      view.dispatch({
        changes: { from, to, insert: start + after },
        selection: { anchor: from + start.length },
        userEvent: 'input.complete',
      }),
  }
}
