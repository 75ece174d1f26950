/** An A2A agent that works in steps and asks for missing input. */
import { definePlugin } from 'svc/plugin'
import type { AgentContext, Message, Step } from 'svc/plugins/a2a'

const WORDS: Record<string, string> = { hello: 'bonjour', world: 'monde', gateway: 'passerelle' }

export default definePlugin({
  title: 'A2A: Interpreter',
  description: 'An agent that translates a few words into French.',
  paths: [],
  buildsOn: ['a2a'],
  register(_app, svc) {
    svc.use('a2a.agents')!.agent({
      id: 'interpreter',
      name: 'Interpreter',
      description: 'Translates into French',
      inputModes: ['text/plain'],
      outputModes: ['text/plain'],
      skills: [
        {
          id: 'translate',
          name: 'Translate',
          description: 'English words to French',
          tags: ['language'],
          examples: ['hello world'],
        },
      ],
      steps: translate,
    })
  },
})

async function* translate(message: Message, context: AgentContext): AsyncGenerator<Step> {
  const text = message.parts
    .flatMap(part => ('text' in part ? [part.text] : []))
    .join(' ')
    .trim()
  if (text === '') {
    // The task waits for input. The next message with its id continues here.
    yield { state: 'INPUT_REQUIRED', text: 'What shall I translate?' }
    return
  }
  yield { state: 'WORKING', text: 'Looking up words' }
  for (const [index, word] of text.split(/\s+/).entries()) {
    yield {
      afterMs: context.stepDelayMs(50),
      artifact: {
        artifactId: 'translation',
        parts: [{ text: `${index === 0 ? '' : ' '}${WORDS[word.toLowerCase()] ?? word}` }],
      },
      append: index > 0,
    }
  }
  yield { state: 'COMPLETED', text: 'Voilà' }
}
