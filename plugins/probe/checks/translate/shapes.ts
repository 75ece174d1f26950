/** Streams that are written in unusual ways, which a gateway has to understand. */
import { comparedAspect } from './compared.ts'
import { question, scene, TOOLS } from './scenes.ts'

interface Shape {
  /** As an item of `X-Svc-Stream-Shape`. */
  item: string
  /** Upstream wires that have it; absent: all. */
  wires?: readonly string[]
  /** Nothing that a vendor documents or was seen to write: what is lost is a warning. */
  isUnusual?: true
}

const CHAT = ['chat', 'azure']
/** Wires whose streams are events of text. */
const SSE = ['chat', 'azure', 'responses', 'messages', 'gemini', 'cohere']

/** Without regard to lines and characters. */
const CUT = 'split=16'

const SHAPES: readonly Shape[] = [
  { item: 'split=utf8' },
  // Cuts anywhere in lines and characters. Byte by byte, a stream takes longer than clients wait if the machine is busy.
  { item: CUT },
  { item: 'join=3' },
  { item: 'crlf', wires: SSE },
  { item: 'nospace', wires: SSE },
  { item: 'comments=wait@2', wires: SSE },
  { item: 'heartbeat=200', wires: SSE },
  { item: 'empty-choices', wires: CHAT },
  { item: 'usage=last', wires: CHAT, isUnusual: true },
  { item: 'usage=beside', wires: CHAT },
  { item: 'role=every', wires: CHAT, isUnusual: true },
  { item: 'tools=no-index', wires: CHAT, isUnusual: true },
  { item: 'tools=same-index', wires: CHAT, isUnusual: true },
  { item: 'tools=no-id', wires: CHAT, isUnusual: true },
  { item: 'tools=fused', wires: CHAT },
  { item: 'tools=late-name', wires: CHAT, isUnusual: true },
  { item: 'tools=repeat-id', wires: CHAT, isUnusual: true },
  { item: 'id=absent', wires: ['chat', 'azure', 'responses', 'gemini'], isUnusual: true },
  { item: 'huge=300000', isUnusual: true },
  { item: 'sequence=absent', wires: ['responses'], isUnusual: true },
]

/** A pause before the first token, in which there are heartbeats. */
const PAUSE_MS = 450

const USAGE = { prompt_tokens: 211, completion_tokens: 47 }
const CALLS = {
  text: 'I look, żółw.',
  tool_calls: [
    { name: 'weather', args: { city: 'Tromsø' } },
    { name: 'clock', args: {} },
  ],
  usage: USAGE,
}
/** Short, and in one event, since the stream takes many writes. */
const TEXT = { text: 'Żółw \u{1F680} 天気', usage: USAGE }

const BASELINE = 'ordinary'
const ASKED = question('Which weather, and what time?', { tools: [...TOOLS] })

const idOf = ({ item }: Shape): string => item.replace('=', '-')
const UNUSUAL = new Set(SHAPES.filter(({ isUnusual }) => isUnusual === true).map(idOf))

export const UNUSUAL_STREAMS = comparedAspect({
  id: 'TRN-SHAPES',
  title: 'Unusual streams are understood',
  impact: 'high',
  reply: /^\/(?:parts|finish|usage)(?:\/|$)/,
  isTolerant: ({ id }) => UNUSUAL.has(id),
  baseline: BASELINE,
  scenes: ({ upstream }) => [
    scene(BASELINE, ASKED, CALLS, { modes: ['stream'] }),
    ...SHAPES.filter(({ wires }) => wires === undefined || wires.includes(upstream.id)).map(shape =>
      scene(
        idOf(shape),
        ASKED,
        {
          ...(shape.item === CUT ? TEXT : CALLS),
          stream: {
            shape: shape.item,
            ...(shape.item.startsWith('heartbeat') ? { ttft_ms: PAUSE_MS } : {}),
            ...(shape.item === CUT ? { delta_chars: TEXT.text.length } : {}),
          },
        },
        { modes: ['stream'] },
      ),
    ),
  ],
})
