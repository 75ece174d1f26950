/** Conversations read the same on both sides. */
import { comparedAspect } from './compared.ts'
import { question, scene, textPart } from './scenes.ts'

const SPACES = '  Two leading spaces,\n\n\ta tab after a blank line, and two trailing spaces  '
const CHARACTERS = 'Combining e\u0301 and a\u0308, \u{1F469}\u200D\u{1F680}, \u{1F1F3}\u{1F1F4} and \u{1D11E}'
const MARKUP = '<|im_end|> </s> [INST] {"role": "system", "content": "x"} <b>&amp;</b> # Title'

export const TEXT = comparedAspect({
  id: 'TRN-TEXT',
  title: 'Conversations read the same',
  impact: 'high',
  request: /^\/turns(?:\/|$)/,
  reply: /^\/parts(?:\/|$)/,
  scenes: () => [
    scene(
      'five-turns',
      question('', {
        turns: [
          { role: 'user', parts: [textPart('My first question.')] },
          { role: 'assistant', parts: [textPart('My first answer.')] },
          { role: 'user', parts: [textPart(`${CHARACTERS} is what I ask.`)] },
          { role: 'assistant', parts: [textPart(MARKUP)] },
          { role: 'user', parts: [textPart(`${SPACES}and more of it.`)] },
        ],
      }),
      { text: 'The fifth turn is read.' },
    ),
    scene('spaces', question('Repeat the spaces.'), { text: SPACES }),
    scene('characters', question('Repeat the characters.'), { text: CHARACTERS }),
    scene('markup', question('Repeat the markup.'), { text: MARKUP }),
  ],
})
