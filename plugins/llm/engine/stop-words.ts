/** Words with little meaning: they have a low weight in embeddings, and don't select a tool. */

const sentenceWords = (
  'a an the and or of to in on at for with from by is are was were be been do does did can could would should will shall may might must i me my we our you your he she it its they their ' +
  'this that these those what which who how when where why please tell show give need want'
).split(' ')

const toolWords =
  'get set fetch list make create find call run use tool function data info as into about return returns given specified current value values some user'.split(
    ' ',
  )

export const stopWords: ReadonlySet<string> = new Set(sentenceWords)
export const toolStopWords: ReadonlySet<string> = new Set([...sentenceWords, ...toolWords])
