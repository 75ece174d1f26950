/** Chooses the media type of a response, and with it the example. */
import type { CompiledApi } from '../api/compiled-api.ts'
import type { MediaType } from '../document/operations.ts'
import { ownObject } from '../document/json.ts'
import { typesOf } from '../request/coerce.ts'
import { negotiate, offerOf, type BodyKind, type Offer } from './negotiation.ts'
import { firstExample, hasExample, type Choice, type Pairing } from '../api/response-choice.ts'

/** The media type of a choice, and whether it is acceptable. */
export interface ChosenType {
  media: MediaType
  type: string
  fits: boolean
  /** The name of the example to use; null for the default order. */
  example: string | null
  /** The types that were offered. */
  offered: readonly string[]
}

const BODILESS = new Set([204, 205, 304])

/** Chooses among the media types of the responses of one document, which are prepared once. */
export class Representations {
  readonly #api: CompiledApi
  readonly #offers = new WeakMap<readonly MediaType[], { offer: Offer | undefined }>()

  constructor(api: CompiledApi) {
    this.#api = api
  }

  /**
   * Chooses the media type by `Accept`. If the client has named an example, only the types that have it are offered; an example
   * that the request only happens to equal gives way to an acceptable type. Undefined if the response has no content.
   */
  choose(choice: Choice, accept: string | undefined): ChosenType | undefined {
    const { content } = choice.definition
    const { example } = choice
    if (BODILESS.has(choice.status)) return undefined
    if (example === null) return this.#chooseOf(content, null, accept)
    const withExample = content.filter(({ raw }) => hasExample(raw, example))
    const named = withExample.length > 0 ? this.#chooseOf(withExample, example, accept) : undefined
    if (named !== undefined && (named.fits || choice.isPaired !== true)) return named
    const other = this.#chooseOf(content, named === undefined ? example : null, accept)
    return named === undefined || other?.fits === true ? other : named
  }

  /**
   * The response for a request that equals the examples of several pairings: the first response in the document, with the
   * example of the type that the client prefers.
   */
  choosePaired(pairings: readonly Pairing[], accept: string | undefined): Choice | undefined {
    const first = pairings[0]?.choice
    const choices = pairings.map(({ choice }) => choice).filter(({ definition }) => definition === first?.definition)
    if (first === undefined || choices.length === 1) return first
    const offered = first.definition.content.filter(({ raw }) =>
      choices.some(({ example }) => hasExample(raw, example)),
    )
    const offer = this.#offerOf(offered)
    const declaredAs = offer && negotiate(offer, accept).declaredAs
    const examples = ownObject(offered.find(({ type }) => type === declaredAs)?.raw, 'examples')
    return choices.find(({ example }) => example !== null && Object.hasOwn(examples ?? {}, example)) ?? first
  }

  #chooseOf(content: readonly MediaType[], example: string | null, accept: string | undefined): ChosenType | undefined {
    const offer = this.#offerOf(content)
    if (offer === undefined) return undefined
    const { type, declaredAs, fits } = negotiate(offer, accept)
    const media = content.find(entry => entry.type === declaredAs)
    return media && { media, type, fits, example, offered: offer.types }
  }

  #offerOf(content: readonly MediaType[]): Offer | undefined {
    let known = this.#offers.get(content)
    if (known === undefined) {
      known = {
        offer: offerOf(
          content.map(media => ({
            type: media.type,
            // The kind only matters for ranges.
            kind: media.type.includes('*') ? kindOf(media, this.#api) : 'structured',
          })),
        ),
      }
      this.#offers.set(content, known)
    }
    return known.offer
  }
}

/** What the body of a media type is made of. */
function kindOf({ schema, raw }: MediaType, api: CompiledApi): BodyKind {
  const flat = api.sampler.flattener.flatten(schema)
  const types = typesOf(flat, api.sampler.flattener, 0)
  types.delete('null')
  if (types.size === 0) return typeof firstExample(api.document, raw)?.value === 'string' ? 'opaque' : 'structured'
  if (types.size > 1 || !types.has('string')) return 'structured'
  return flat.format === 'binary' ? 'binary' : 'text'
}
