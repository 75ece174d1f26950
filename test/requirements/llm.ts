/** What the mock LLM promises to every client, whatever the format. */
export default [
  { id: 'LLM-1', rule: 'pieces of a text give it back; letters and digits are cut every four, white space joins the next piece', where: 'llm 6.7' },
  { id: 'LLM-2', rule: 'the prompt is rendered one line an item, and its tokens are those of that text, tools and images', where: 'llm 6.3, 6.7' },
  { id: 'LLM-3', rule: 'the canned table answers by whole words of the last user message, first row first', where: 'llm 6.4' },
  { id: 'LLM-4', rule: 'scripted rules answer in their order, with canned text where none fits', where: 'llm 6.4' },
  { id: 'LLM-5', rule: 'random text is fixed by model, prompt and choice', where: 'llm 6.4' },
  { id: 'LLM-6', rule: 'a segment of the model name chooses the mode', where: 'llm 6.2' },
  { id: 'LLM-7', rule: 'stop sequences cut before the earliest match, then the limit cuts', where: 'llm 6.2' },
  { id: 'LLM-8', rule: 'a tool is called when it is forced or fits, the first of equals', where: 'llm 6.5' },
  { id: 'LLM-9', rule: 'trailing tool results are answered with a sentence, never with a new call', where: 'llm 6.2' },
  { id: 'LLM-10', rule: 'a JSON format wraps the text, a schema replaces it by a value', where: 'llm 6.2' },
  { id: 'LLM-11', rule: 'generated values are valid for the schema, named after properties, and bounded', where: 'llm 6.6' },
  { id: 'LLM-12', rule: 'reasoning is shown when asked for, within its budget', where: 'llm 6.8' },
  { id: 'LLM-13', rule: 'rules come before tools, but not after tool results', where: 'llm 15' },
  { id: 'LLM-14', rule: 'alike texts have alike vectors of length 1', where: 'llm 7' },
  { id: 'LLM-15', rule: 'documents are ranked by shared words and cosine', where: 'llm 7' },
  { id: 'LLM-50', rule: 'the openai package gets chat completions, plain and streamed, with usage and a record', where: 'llm 8, 13, 14' },
]
