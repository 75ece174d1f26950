/** `{{…}}` in bodies of rules and overrides: replaced by request data, never evaluated. */
import type { OutputBudget } from 'svc/plugin'
import { createLookUp, expandText, expandValue, type LookUp, type ReferenceFacts } from 'svc/toolkit'
import type { Json } from '../document/json.ts'

/** The data that template references can use. */
export interface TemplateScope extends ReferenceFacts {
  readonly state: Readonly<Record<string, string>>
  mock: string
  operation: string
  /** What references insert is taken from it. */
  output: OutputBudget
}

/** Expands references in a JSON value. */
export function fillValue(value: Json, scope: TemplateScope): Json {
  return expandValue(value, lookUpIn(scope), scope.output)
}

/** Expands references in a text. */
export function fillText(text: string, scope: TemplateScope): string {
  return expandText(text, lookUpIn(scope), scope.output)
}

function lookUpIn(scope: TemplateScope): LookUp {
  return createLookUp(scope, (word, names) => {
    switch (word) {
      case 'state':
        return Object.hasOwn(scope.state, names.join('.')) ? scope.state[names.join('.')] : undefined
      case 'mock':
        return scope.mock
      case 'operation':
        return scope.operation
      default:
        return undefined
    }
  })
}
