/** Members that OpenAI's APIs take: those of the official package's types, and what current agents send beyond them. */

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '))

export const CHAT_MEMBERS = set(
  'audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens messages metadata ' +
    'modalities model moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_options ' +
    'prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier stop store stream ' +
    'stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options client_metadata',
)

/** `parsed` is what the official clients add to a reply, and send back with it. */
export const MESSAGE_MEMBERS = set(
  'role content name tool_calls tool_call_id function_call refusal audio annotations parsed',
)

/**
 * Of content parts, by their type. Other types are the route's. OpenAI's Agents SDK sends the text of a reply back as a part with the
 * other members of its message.
 */
export const PART_MEMBERS: Readonly<Record<string, ReadonlySet<string>>> = {
  text: set('type text prompt_cache_breakpoint role refusal annotations tool_calls function_call audio'),
  image_url: set('type image_url prompt_cache_breakpoint'),
  input_audio: set('type input_audio prompt_cache_breakpoint'),
  file: set('type file prompt_cache_breakpoint'),
  refusal: set('type refusal'),
}

export const TOOL_MEMBERS = set('type function custom')

export const STREAM_OPTIONS = set('include_usage include_obfuscation')

export const RESPONSES_MEMBERS = set(
  'access_programs background background_options context_management conversation image include input instructions max_output_tokens max_tool_calls metadata model ' +
    'moderation parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_options prompt_cache_retention ' +
    'reasoning safety_identifier service_tier store stream stream_options temperature text tool_choice tools top_logprobs ' +
    'top_p truncation user client_metadata generate betas',
)
