/** Renders the body and headers of a chosen response, with a cache. */
import type { CompiledApi } from '../api/compiled-api.ts'
import type { MediaType, Operation } from '../document/operations.ts'
import { ownObject, type Json } from '../document/json.ts'
import type { SampleOptions } from '../schema/sample.ts'
import type { AnswerBudgets } from '../schema/generation-cost.ts'
import { echo } from './echo.ts'
import { generatedBytes, isBinaryType, serializeBody } from './body-text.ts'
import { documentHeaders, headerToken } from './response-headers.ts'
import { Representations, type ChosenType } from './representation.ts'
import { exampleValue, firstExample, type Choice } from '../api/response-choice.ts'

/** The input that determines a rendered response. */
export interface RenderInput {
  operation: Operation
  choice: Choice
  dynamic: boolean
  /** The combined seed of the mock, its settings and the request's `Prefer`. */
  seed: string
  path: ReadonlyMap<string, string>
  echo: 'off' | 'path' | 'path+body'
  /** The JSON body; only read if it is echoed. */
  requestBody(): Json | undefined
  /** What a response that is not cached is taken from. */
  budgets: AnswerBudgets
}

export interface Rendered {
  /** Undefined if the body is binary or absent. */
  value: Json | undefined
  bytes: Buffer | null
  contentType: string | null
  schema: Json | undefined
  headers: readonly (readonly [string, string])[]
  /** `example:<name>`, `example` or `generated`. */
  source: string
}

const MAX_ENTRIES = 1000
const MAX_BYTES = 16 << 20
/** Renders responses for one version of a mock. */
export class Renderer {
  /** The media types that the document's responses can have. */
  readonly representations: Representations
  readonly #api: CompiledApi
  readonly #remembered = new Map<string, Rendered>()
  #bytes = 0

  constructor(api: CompiledApi) {
    this.#api = api
    this.representations = new Representations(api)
  }

  /** Renders a choice deterministically. */
  render(input: RenderInput, chosen: ChosenType | undefined): Rendered {
    const echoesBody = input.echo === 'path+body' && /^(?:POST|PUT|PATCH)$/.test(input.operation.method)
    if (echoesBody) return this.#make(input, chosen, input.requestBody())
    const key = [
      input.operation.key,
      input.choice.status,
      input.choice.definition.status,
      chosen?.type,
      chosen?.example,
      input.dynamic,
      input.seed,
      input.echo,
      ...input.path.values(),
    ].join('\u0000')
    const known = this.#remembered.get(key)
    if (known) return known
    const rendered = this.#make(input, chosen, undefined)
    this.#remember(key, rendered)
    return rendered
  }

  #make(input: RenderInput, chosen: ChosenType | undefined, requestBody: Json | undefined): Rendered {
    const { operation, choice } = input
    const seed = [input.seed, operation.key, choice.definition.status, ...input.path.values()].join('\u0001')
    const headers = documentHeaders(this.#api, choice.definition, {
      seed,
      useExamples: !input.dynamic,
      budgets: input.budgets,
    })
    if (!chosen)
      return {
        value: undefined,
        bytes: null,
        contentType: null,
        schema: undefined,
        headers,
        source: choice.example === null ? 'generated' : `example:${headerToken(choice.example)}`,
      }
    const { media, type } = chosen
    const body = this.#body(chosen, { seed, useExamples: !input.dynamic, budgets: input.budgets })
    const contentType = type.startsWith('text/') && !type.includes(';') ? `${type}; charset=utf-8` : type
    if (body.bytes)
      return { value: undefined, bytes: body.bytes, contentType, schema: media.schema, headers, source: body.source }
    const value =
      input.echo === 'off'
        ? body.value
        : echo(
            body.value,
            { template: operation.template, path: input.path, body: requestBody, schema: media.schema },
            this.#api.sampler.flattener,
          )
    const serialized = serializeBody(value, {
      type: contentType,
      schema: media.schema,
      encoding: ownObject(media.raw, 'encoding'),
      api: this.#api,
      output: input.budgets.output,
      steps: input.budgets.writing,
    })
    return {
      value,
      bytes: serialized.bytes,
      contentType: serialized.type,
      schema: media.schema,
      headers,
      source: body.source,
    }
  }

  #body({ media, type, example }: ChosenType, options: SampleOptions): { value: Json; bytes?: Buffer; source: string } {
    if (options.useExamples || example !== null) {
      const found = this.#example(media, example)
      if (found) return found
    }
    if (isBinaryType(type)) return { value: null, bytes: generatedBytes(type, options.seed), source: 'generated' }
    if (media.schema === undefined && media.sequence === undefined && type.startsWith('text/'))
      return { value: '', source: 'generated' }
    return {
      value: this.#api.sampler.sample(media.sequence ?? media.schema, options),
      source: 'generated',
    }
  }

  #example(media: MediaType, name: string | null): { value: Json; source: string } | undefined {
    const { document } = this.#api
    if (name !== null) {
      const value = exampleValue(document, media.raw, name)
      return value === undefined ? undefined : { value, source: `example:${headerToken(name)}` }
    }
    const first = firstExample(document, media.raw)
    return (
      first && { value: first.value, source: first.name === null ? 'example' : `example:${headerToken(first.name)}` }
    )
  }

  #remember(key: string, rendered: Rendered): void {
    const size = (rendered.bytes?.length ?? 0) * 2 + key.length
    if (size > MAX_BYTES / 16) return
    this.#remembered.set(key, rendered)
    this.#bytes += size
    while (this.#remembered.size > MAX_ENTRIES || this.#bytes > MAX_BYTES) {
      const oldest = this.#remembered.entries().next().value
      if (!oldest) break
      this.#remembered.delete(oldest[0])
      this.#bytes -= (oldest[1].bytes?.length ?? 0) * 2 + oldest[0].length
    }
  }
}
