/** Chooses the tokenizer of a request: by header, by its model, or by its provider. */
import { RULE } from '../engine/tokenizer.ts'
import type { Tokenizer } from '../contract/neutral.ts'
import { BadInput } from '../contract/errors.ts'
import type { Parsed } from '../contract/parsed.ts'
import { ENCODINGS, loadEncoding, type EncodingName } from './encodings.ts'

export const TOKENIZERS = ['rule', ...ENCODINGS] as const
export type TokenizerName = (typeof TOKENIZERS)[number]

/** Tokenizers of a provider and of its models. */
export interface TokenizerSettings {
  provider: TokenizerName | undefined
  models: Readonly<Record<string, TokenizerName>>
}

const HEADER = 'X-Svc-Tokenizer'

/** The tokenizers that have been used, so that each encoding is imported once. */
export class Tokenizers {
  readonly #loaded = new Map<EncodingName, Promise<Tokenizer>>()

  /** Null: everything is counted by the default rule. Throws `BadInput` for a wrong header. */
  prepare(header: string | undefined, ofProvider: TokenizerSettings | undefined): Promise<RequestTokenizers> | null {
    return header === undefined && ofProvider === undefined ? null : this.#prepare(header?.trim(), ofProvider)
  }

  async #prepare(
    text: string | undefined,
    tokenizers: TokenizerSettings = { provider: undefined, models: {} },
  ): Promise<RequestTokenizers> {
    if (text !== undefined) {
      const ofHeader = await this.#load(readName(text))
      return () => ofHeader
    }
    const names = [tokenizers.provider, ...Object.values(tokenizers.models)]
    const loaded = new Map<TokenizerName, Tokenizer>()
    for (const name of new Set(names)) if (name !== undefined) loaded.set(name, await this.#load(name))
    return model => {
      const own = model !== undefined && Object.hasOwn(tokenizers.models, model) ? tokenizers.models[model] : undefined
      return loaded.get(own ?? tokenizers.provider ?? 'rule') ?? RULE
    }
  }

  #load(name: TokenizerName): Promise<Tokenizer> {
    if (name === 'rule') return Promise.resolve(RULE)
    const known = this.#loaded.get(name)
    if (known !== undefined) return known
    const loading = loadEncoding(name)
    this.#loaded.set(name, loading)
    return loading
  }
}

/** The tokenizer for a model. */
export type RequestTokenizers = (model: string | undefined) => Tokenizer

function readName(text: string): TokenizerName {
  const name = TOKENIZERS.find(known => known === text)
  if (name === undefined) throw new BadInput(`${HEADER}: expected one of ${TOKENIZERS.join(', ')}`, { param: HEADER })
  return name
}

/** The request with its tokenizer. */
export function withTokenizer(parsed: Parsed, tokenizers: RequestTokenizers): Parsed {
  if (parsed.op === 'models' || parsed.op === 'own') return parsed
  const tokenizer = tokenizers(parsed.model)
  if (parsed.op === 'embed' || parsed.op === 'rerank') return { ...parsed, tokenizer }
  const request = { ...parsed.request, tokenizer }
  if (parsed.op === 'count' || parsed.also === undefined) return { ...parsed, request }
  return { ...parsed, request, also: parsed.also.map(other => ({ ...other, tokenizer })) }
}
