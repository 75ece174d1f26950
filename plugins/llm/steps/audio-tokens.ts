/** Tokens of spoken prompts and replies. */
import type { Parsed, ResultOf } from '../contract/parsed.ts'

/** The result with its audio tokens, which are parts of the prompt and of the completion. */
export function withAudio<R extends ResultOf<Parsed>>(parsed: Parsed, result: R): R {
  if (result.op !== 'chat' || parsed.op !== 'chat' || parsed.audio === undefined) return result
  const { input, perToken } = parsed.audio
  const spoken = result.choices.reduce((sum, { pieces }) => sum + pieces.length, 0)
  const output = Math.ceil(spoken * perToken)
  return {
    ...result,
    promptTokens: result.promptTokens + input,
    completionTokens: result.completionTokens + output,
    audio: { input, output },
  }
}

/** Tokens of a reply of which only a part was sent; `sent` text tokens of `planned` tokens with audio. */
export function sentTokens(
  planned: number,
  sent: number,
  audio: { output: number } | undefined,
): { completion: number; audio: number } {
  if (audio === undefined || audio.output === 0) return { completion: Math.min(planned, sent), audio: 0 }
  const text = Math.max(1, planned - audio.output)
  const share = Math.min(1, sent / text)
  const spoken = Math.ceil(audio.output * share)
  return { completion: Math.min(planned, Math.min(text, sent) + spoken), audio: spoken }
}
