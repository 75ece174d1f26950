/** Members of the API's messages, in camel case. Requests may write them in snake case. */

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '))

export const BODY_MEMBERS = set(
  'model contents systemInstruction tools toolConfig safetySettings generationConfig cachedContent labels serviceTier store ' +
    'modelArmorConfig generateContentRequest',
)
export const CONTENT_MEMBERS = set('parts role')
export const PART_MEMBERS = set(
  'text inlineData fileData functionCall functionResponse executableCode codeExecutionResult thought thoughtSignature ' +
    'videoMetadata mediaResolution toolCall toolResponse partMetadata audioTranscription mediaProcessing speechMetadata',
)
export const DECLARATION_MEMBERS = set(
  'name description behavior parameters parametersJsonSchema response responseJsonSchema',
)
export const CONFIG_MEMBERS = set(
  'modelSelectionConfig responseJsonSchema _responseJsonSchema audioTranscriptionConfig audioTimestamp candidateCount ' +
    'enableAffectiveDialog frequencyPenalty logprobs maxOutputTokens mediaResolution presencePenalty responseFormat ' +
    'responseLogprobs responseMimeType responseModalities responseSchema routingConfig seed speechConfig stopSequences ' +
    'temperature thinkingConfig topK topP enableEnhancedCivicAnswers translationConfig imageConfig ' +
    'generationOutputConfig',
)
export const SCHEMA_MEMBERS = set(
  'type format title description nullable enum items maxItems minItems properties required minProperties maxProperties ' +
    'minimum maximum minLength maxLength pattern example anyOf propertyOrdering default',
)
export const VERTEX_SCHEMA_MEMBERS = new Set([...SCHEMA_MEMBERS, 'additionalProperties', 'ref', 'defs'])

/** `responseSchema` of `response_schema`. */
export function camelCase(name: string): string {
  return name.includes('_') && !name.startsWith('_')
    ? name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    : name
}

/** `response_schema` of `responseSchema`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, '_$&').toLowerCase()
}
