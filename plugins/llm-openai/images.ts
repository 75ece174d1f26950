/** `POST /images/generations`: one pixel, as data or as the URL of a sample. */
import { crc32, deflateSync } from 'node:zlib'
import type { Engine, LlmRoute, OwnParsed } from '../llm/types.ts'
import { clamp } from './chat.ts'
import { describePost } from './describe.ts'

interface ImageWire {
  prompt: string
  n: number
  asData: boolean
}

export function images(engine: Engine): LlmRoute<OwnParsed<ImageWire>> {
  const { json } = engine
  return {
    method: 'POST',
    path: '/images/generations',
    op: 'image',
    describe: describePost('/images/generations', 'generate images', [
      { name: 'One image', body: { model: 'gpt-image-1', prompt: 'a gateway at dawn' } },
    ]),
    parse(input) {
      const body = input.json()
      const prompt = json.textOf(body.prompt)
      if (prompt === undefined)
        throw engine.badInput("Missing required parameter: 'prompt'.", {
          param: 'prompt',
          code: 'missing_required_parameter',
        })
      const model = json.textOf(body.model) ?? input.defaultModel ?? 'dall-e-2'
      const isData =
        body.response_format === 'b64_json' || (body.response_format !== 'url' && /^(?:chat)?gpt-image/.test(model))
      return {
        op: 'own',
        mode: 'image',
        model,
        prompt,
        promptTokens: engine.count(prompt),
        completionTokens: 0,
        wire: { prompt, n: clamp(body.n, 1, input.limits.images), asData: isData },
      }
    },
    render(_result, { wire, promptTokens }, context) {
      const image = wire.asData ? { b64_json: onePixel().toString('base64') } : { url: context.url('/image/png') }
      return {
        body: {
          created: context.created,
          data: Array.from({ length: wire.n }, () => ({ ...image, revised_prompt: wire.prompt })),
          usage: {
            input_tokens: promptTokens,
            output_tokens: 0,
            total_tokens: promptTokens,
            input_tokens_details: { text_tokens: promptTokens, image_tokens: 0 },
          },
        },
      }
    },
  }
}

/** A PNG image (W3C PNG, 5) with one blue pixel. */
function onePixel(): Buffer {
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0])
  const pixel = deflateSync(Buffer.from([0, 0x1f, 0x6f, 0xeb]))
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', pixel),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const frame = Buffer.alloc(4 + named.length + 4)
  frame.writeUInt32BE(data.length, 0)
  named.copy(frame, 4)
  frame.writeUInt32BE(crc32(named), 4 + named.length)
  return frame
}
