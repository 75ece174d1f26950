/** The memory of full stores: what providers of the mock LLM keep [HARD-12]. Runs alone: it measures the heap. */
import t from 'tap'
import type { Config } from '../../../core/contract/plugin.ts'
import { createEngine } from '../../../plugins/llm/registry/engine.ts'
import { type StoredResponse, ResponseStore } from '../../../plugins/llm-openai/responses/response-store.ts'
import { ConversationStore } from '../../../plugins/llm-openai/conversations/conversation-store.ts'
import { UploadStore } from '../../../plugins/llm-openai/files/uploads.ts'
import { DEFAULT_PLAN } from '../../../plugins/llm/state/batch-plan.ts'
import { BatchStore } from '../../../plugins/llm/state/batches.ts'
import { DocumentStore } from '../../../plugins/llm/state/documents.ts'
import { SessionHandles } from '../../../plugins/llm-gemini-live/session-handles.ts'
import { CacheStore } from '../../../plugins/llm-gemini/caches/cache-store.ts'
import { InteractionStore } from '../../../plugins/llm-gemini/interactions/interaction-store.ts'
import { UploadStore as GeminiUploads } from '../../../plugins/llm-gemini/upload-store.ts'
import type { RouteInput } from '../../../plugins/llm/types.ts'
import { pluginState } from '../../support/plugin-state.ts'
import { MIB, ascii, bounded, nested, times, wideFor } from '../../support/store-memory.ts'

const engine = createEngine()
const config = { publicMode: false } as Config
const wide = wideFor(150_000)
const SERVICES = { engine }
const deep = Array.from({ length: 200 }, nested)

await t.test('svc.state "responses" [HARD-12]', async t =>
  bounded(t, 64 * MIB, async () => {
    const store = new ResponseStore(pluginState(config).svc, SERVICES)
    await times(400, index => {
      const id = `resp_${engine.randomId(48)}`
      const stored: StoredResponse = {
        provider: ascii('openai'),
        session: ascii(`session ${index}`),
        head: {
          id,
          created: index,
          model: ascii('svc-gpt'),
          body: { tools: [index % 2 === 0 ? wide : deep] },
          showsSummary: false,
          sealsReasoning: false,
          isBackground: false,
          conversation: null,
        },
        input: [{ type: 'message', id: ascii(`msg_${id}`), content: index % 2 === 0 ? wide : deep }],
        previous: null,
        reply: null,
        plan: null,
        cancelledAt: null,
      }
      return store.put(stored)
    })
    return store
  }),
)

await t.test('svc.state "conversations" [HARD-12]', async t =>
  bounded(t, 64 * MIB, async () => {
    const store = new ConversationStore(pluginState(config).svc, engine)
    await times(500, index =>
      store.create('openai', `session ${index}`, {
        items: [{ role: 'user', content: [index % 2 === 0 ? wide : deep] }],
        metadata: {},
      }),
    )
    return store
  }),
)

t.test('svc.state "document-contents" [HARD-12]', async t =>
  bounded(t, 64 * MIB, async () => {
    const store = new DocumentStore(pluginState(config).svc)
    await times(600, index =>
      store.put(
        { provider: 'openai', session: `session ${index}` },
        { kind: 'file', id: `file-${index}`, name: 'a', type: 'b', content: Buffer.alloc(200_000, index) },
      ),
    )
    return store
  }),
)

t.test('svc.state "batches" [HARD-12]', async t =>
  bounded(t, 16 * MIB, async () => {
    const store = new BatchStore(pluginState(config).svc, 1000, { maxBytes: 64 * MIB })
    await times(600, index =>
      store.create(
        { provider: 'openai', session: `session ${index}` },
        {
          id: `batch_${index}`,
          plan: DEFAULT_PLAN,
          total: 1,
          isInvalid: false,
          data: { problems: Array.from({ length: 50 }, () => ({ line: 1, message: wideFor(500) })) },
        },
      ),
    )
    return store
  }),
)

t.test('svc.state "upload-parts" [HARD-12]', async t =>
  bounded(t, 64 * MIB, async () => {
    const store = new UploadStore(pluginState(config).svc)
    const upload = { provider: 'openai', session: 's' } as Parameters<UploadStore['putPart']>[0]
    await times(600, index => store.putPart(upload, `part_${index}`, Buffer.alloc(200_000, index)))
    return store
  }),
)

t.test('svc.state "resumable-uploads" [HARD-12]', async t =>
  bounded(t, 64 * MIB, async () => {
    const store = new GeminiUploads(pluginState(config).svc)
    const file = { name: 'a', displayName: null, type: 'b' }
    await times(50, async index => {
      const owner = { provider: 'gemini', session: `session ${index}` } as RouteInput
      await store.begin(owner, `upload-${index}`, file)
      await store.append(owner, `upload-${index}`, 0, Buffer.alloc(2_000_000, index))
    })
    return store
  }),
)

t.test('svc.state "cached-contents" [HARD-12]', async t =>
  bounded(t, 64 * MIB, async () => {
    const store = new CacheStore(pluginState(config).svc, engine)
    await times(400, index =>
      store.put(
        { provider: 'gemini', session: `session ${index}` },
        {
          id: `cache-${index}`,
          model: 'models/svc-gemini',
          displayName: null,
          createdAt: index,
          updatedAt: index,
          expiresAt: Date.now() + 3_600_000,
          tokens: 1,
          content: { tools: [index % 2 === 0 ? wide : deep] },
        },
      ),
    )
    return store
  }),
)

t.test('svc.state "interactions" [HARD-12]', async t =>
  bounded(t, 64 * MIB, async () => {
    const store = new InteractionStore(pluginState(config).svc, SERVICES)
    await times(400, index =>
      store.put({
        provider: 'gemini',
        session: `session ${index}`,
        head: {
          id: `interaction-${index}`,
          created: index,
          model: 'svc-gemini',
          echo: { tools: [index % 2 === 0 ? wide : deep] },
          showsSummary: false,
          isBackground: false,
        },
        input: [],
        previous: null,
        choice: {
          index: 0,
          text: '',
          pieces: null,
          calls: [],
          reasoning: '',
          finish: 'stop',
          stopSequence: null,
        },
        tokens: { prompt: 0, cached: 0, completion: 0, reasoning: 0 },
        plan: null,
        cancelledAt: null,
      }),
    )
    return store
  }),
)

t.test('svc.state "live-sessions" [HARD-12]', async t =>
  bounded(t, 32 * MIB, async () => {
    const handles = new SessionHandles(pluginState(config).svc)
    await times(400, index =>
      handles.put(ascii(`handle-${index}`), { provider: ascii('gemini'), session: ascii(`session ${index}`) }, [
        { content: { parts: [index % 2 === 0 ? wide : deep] }, audioMs: 0 },
      ]),
    )
    return handles
  }),
)
