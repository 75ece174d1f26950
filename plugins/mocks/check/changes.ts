/** Finds breaking and compatible changes between two documents. */
import { StepBudget } from 'svc/plugin'
import { shownText } from 'svc/toolkit'
import type { ApiDocument } from '../document/api-document.ts'
import { listOperations, type MediaType, type Operation, type Parameter } from '../document/operations.ts'
import { deepEqual, type Json } from '../document/json.ts'
import { templateShape } from '../document/path-trie.ts'
import { Flattener } from '../schema/flat-schema.ts'
import { LIST_LIMIT, type Change, type Changes } from './report.ts'
import { compareSchemas, type SchemaDifference } from './schema-changes.ts'

interface Side {
  document: ApiDocument
  flattener: Flattener
}

/** Compares operations by method and path, regardless of the names of path parameters. */
export function compareDocuments(before: ApiDocument, after: ApiDocument): Changes {
  const collected = new Collector()
  const old: Side = { document: before, flattener: new Flattener(before) }
  const now: Side = { document: after, flattener: new Flattener(after) }
  const operationsBefore = byShape(before)
  const operationsAfter = byShape(after)
  for (const [shape, operation] of operationsBefore) {
    const other = operationsAfter.get(shape)
    if (other) new OperationComparison(old, now, operation, other, collected).run()
    else collected.breaking('operation_removed', operation, 'operation removed')
  }
  for (const [shape, operation] of operationsAfter)
    if (!operationsBefore.has(shape)) collected.compatible('operation_added', operation, 'operation added')
  return { unchanged: deepEqual(before.root, after.root, StepBudget.unlimited()), ...collected.lists() }
}

function byShape(document: ApiDocument): Map<string, Operation> {
  return new Map(
    listOperations(document).map(operation => [`${operation.method} ${templateShape(operation.template)}`, operation]),
  )
}

class Collector {
  readonly #breaking: Change[] = []
  readonly #compatible: Change[] = []

  breaking(code: string, operation: Operation, message: string): void {
    this.#breaking.push({ code, operation: `${operation.method} ${operation.template}`, message })
  }

  compatible(code: string, operation: Operation, message: string): void {
    this.#compatible.push({ code, operation: `${operation.method} ${operation.template}`, message })
  }

  lists(): Omit<Changes, 'unchanged'> {
    const isCut = this.#breaking.length > LIST_LIMIT || this.#compatible.length > LIST_LIMIT
    return {
      breaking: this.#breaking.slice(0, LIST_LIMIT),
      compatible: this.#compatible.slice(0, LIST_LIMIT),
      ...(isCut ? { truncated: true } : {}),
    }
  }
}

class OperationComparison {
  readonly #before: Side
  readonly #after: Side
  readonly #old: Operation
  readonly #new: Operation
  readonly #collected: Collector

  constructor(before: Side, after: Side, old: Operation, now: Operation, collected: Collector) {
    this.#before = before
    this.#after = after
    this.#old = old
    this.#new = now
    this.#collected = collected
  }

  run(): void {
    this.#parameters()
    this.#requestBody()
    this.#responses()
    this.#security()
  }

  #breaking(code: string, message: string): void {
    this.#collected.breaking(code, this.#new, message)
  }

  #compatible(code: string, message: string): void {
    this.#collected.compatible(code, this.#new, message)
  }

  #parameters(): void {
    // Path parameters are compared by position, because renaming one does not affect clients.
    const keyOf = (parameter: Parameter, operation: Operation): string =>
      parameter.in === 'path'
        ? `path ${operation.template.split('{').findIndex(part => part.startsWith(`${parameter.name}}`))}`
        : `${parameter.in} ${parameter.name.toLowerCase()}`
    const before = new Map(this.#old.parameters.map(parameter => [keyOf(parameter, this.#old), parameter]))
    for (const parameter of this.#new.parameters) {
      const old = before.get(keyOf(parameter, this.#new))
      const label = `${parameter.in} parameter "${parameter.name}"`
      if (!old) {
        if (parameter.required) this.#breaking('required_parameter_added', `the required ${label} was added`)
        else this.#compatible('optional_parameter_added', `the optional ${label} was added`)
        continue
      }
      if (parameter.required && !old.required)
        this.#breaking('parameter_became_required', `the ${label} became required`)
      for (const difference of this.#compare(old.schema, parameter.schema)) {
        if (difference.kind === 'type_changed')
          this.#breaking('parameter_type_changed', `in the ${label}, ${difference.message}`)
        if (difference.kind === 'enum_narrowed')
          this.#breaking('parameter_enum_narrowed', `in the ${label}, ${difference.message}`)
      }
    }
  }

  #requestBody(): void {
    const [before, after] = [this.#old.requestBody, this.#new.requestBody]
    if (after?.required && !before?.required)
      this.#breaking('request_body_became_required', 'a request body became required')
    this.#mediaTypes(before?.content ?? [], after?.content ?? [], 'request', difference => {
      const codes: Partial<Record<SchemaDifference['kind'], string>> = {
        became_required: 'request_property_became_required',
        type_changed: 'request_property_type_changed',
        enum_narrowed: 'request_enum_narrowed',
      }
      const code = codes[difference.kind]
      if (code) this.#breaking(code, `in the request, ${difference.message}`)
      else if (difference.kind === 'property_added')
        this.#compatible('request_property_added', `in the request, ${difference.message}`)
    })
  }

  #responses(): void {
    const after = new Map(this.#new.responses.map(response => [response.status, response]))
    for (const response of this.#old.responses) {
      const other = after.get(response.status)
      if (!other) {
        if (response.status.startsWith('2'))
          this.#breaking('response_removed', `the response ${response.status} was removed`)
        continue
      }
      const where = `in the response ${response.status}, `
      this.#mediaTypes(response.content, other.content, `response ${response.status}`, difference => {
        const codes: Partial<Record<SchemaDifference['kind'], string>> = {
          required_removed: 'response_property_removed',
          became_optional: 'response_property_became_optional',
          type_changed: 'response_property_type_changed',
          enum_widened: 'response_enum_widened',
        }
        const code = codes[difference.kind]
        if (code) this.#breaking(code, where + difference.message)
        else if (difference.kind === 'property_added')
          this.#compatible('response_property_added', where + difference.message)
      })
    }
    const before = new Set(this.#old.responses.map(response => response.status))
    for (const status of after.keys())
      if (!before.has(status)) this.#compatible('response_added', `the response ${status} was added`)
  }

  #mediaTypes(
    before: readonly MediaType[],
    after: readonly MediaType[],
    where: string,
    report: (difference: SchemaDifference) => void,
  ): void {
    for (const media of before) {
      const other = after.find(entry => entry.type === media.type)
      if (!other) this.#breaking('media_type_removed', `${media.type} was removed from the ${where}`)
      else for (const difference of this.#compare(media.schema, other.schema)) report(difference)
    }
  }

  #security(): void {
    const [before, after] = [this.#old.security, this.#new.security]
    const isOpen = (alternatives: typeof before): boolean =>
      alternatives.length === 0 || alternatives.some(alternative => Object.keys(alternative).length === 0)
    if (isOpen(after)) return
    const weaker = (scheme: string): string[] =>
      before
        .flatMap(alternative => alternative[scheme] ?? [])
        .flatMap(scopes => (Array.isArray(scopes) ? scopes.map(shownText) : [shownText(scopes)]))
    const known = new Set(before.flatMap(alternative => Object.keys(alternative)))
    if (isOpen(before) || !after.some(alternative => Object.keys(alternative).every(scheme => known.has(scheme))))
      return this.#breaking('security_added', 'credentials are now required')
    const names = (scopes: Json | undefined): string[] =>
      Array.isArray(scopes) ? scopes.filter(scope => typeof scope === 'string') : []
    for (const alternative of after) {
      for (const [scheme, scopes] of Object.entries(alternative)) {
        if (!known.has(scheme)) continue
        for (const scope of names(scopes))
          if (!weaker(scheme).includes(scope))
            this.#breaking('scope_added', `the scope "${scope}" of "${scheme}" is now required`)
      }
    }
  }

  #compare(before: Json | undefined, after: Json | undefined): SchemaDifference[] {
    return compareSchemas({ ...this.#before, schema: before }, { ...this.#after, schema: after })
  }
}
