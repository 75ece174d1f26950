/** Reasons to stop, and usage. */
import { comparedAspect } from './compared.ts'
import { question, scene, TOOLS } from './scenes.ts'

const STOPPED = { text: 'One two ', finish: 'stop_sequence', stop_sequence: 'HALT' }

export const FINISH = comparedAspect({
  id: 'TRN-FINISH',
  title: 'Reasons to stop',
  impact: 'high',
  // Text that came before a filter is kept.
  reply: ({ path, scene }) =>
    /^\/(?:finish|stop_sequence)$/.test(path) || (scene === 'filter' && /^\/parts\/\d+$/.test(path)),
  scenes({ client, upstream }) {
    const hasStop = [client, upstream].every(({ limits }) => !limits.request.has('stop'))
    const stopping = question('Count until you halt.', { params: { max_tokens: 4_096, stop: ['HALT'] } })
    return [
      scene('stop', question('Say it.'), { text: 'All of it.' }),
      scene('length', question('Say more.'), { text: 'Some of it', finish: 'length' }),
      scene('calls', question('Look it up.', { tools: [...TOOLS] }), { tool_calls: [{ name: 'clock', args: {} }] }),
      ...(hasStop ? [scene('stop-sequence', stopping, STOPPED)] : []),
      scene('filter', question('Say something bad.'), { text: 'It begins', finish: 'content_filter' }),
      scene('refusal', question('Do something bad.'), { refusal: 'I will not do that.' }),
    ]
  },
})

export const USAGE = comparedAspect({
  id: 'TRN-USAGE',
  title: 'Usage',
  impact: 'high',
  reply: /^\/usage(?:\/|$)/,
  scenes: () => [
    scene('all-figures', question('What do you count?'), {
      text: 'Everything.',
      usage: {
        prompt_tokens: 1_003,
        cached_tokens: 401,
        cache_write_5m_tokens: 53,
        cache_write_1h_tokens: 29,
        completion_tokens: 77,
        reasoning_tokens: 31,
      },
    }),
    scene('no-output', question('Say nothing.'), { text: '', usage: { prompt_tokens: 211, completion_tokens: 0 } }),
  ],
})
