/** Shapes of errors: another status, or a body that is not the format's (`error-200`, `error-body`). */
import type { ErrorResponse } from '../contract/provider.ts'
import { itemOf, type StreamShape } from './shape.ts'

/** What is sent; the body is text. */
export interface SentError {
  status: number
  headers: Record<string, string>
  body: string
}

/** An error as it is sent. Without items of a shape it is JSON. */
export function shapeError({ status, headers, body }: Required<ErrorResponse>, shape: StreamShape): SentError {
  const text = JSON.stringify(body)
  const form = itemOf(shape, 'error-body')
  const shown = {
    ...headers,
    ...(form === 'html' ? { 'Content-Type': 'text/html; charset=utf-8' } : {}),
    ...(form === 'text' ? { 'Content-Type': 'text/plain; charset=utf-8' } : {}),
  }
  return {
    status: itemOf(shape, 'error-200') === undefined ? status : 200,
    headers: shown,
    body: bodyOf(form, text, status),
  }
}

function bodyOf(form: string | true | undefined, text: string, status: number): string {
  switch (form) {
    case 'html':
      return `<html>\r\n<head><title>${status} Error</title></head>\r\n<body>\r\n<center><h1>${status} Error</h1></center>\r\n</body>\r\n</html>\r\n`
    case 'text':
      return `upstream error: ${status}`
    case 'empty':
      return ''
    case 'truncated':
      return text.slice(0, Math.max(1, text.length >> 1))
    case 'array':
      return `[${text}]`
    default:
      return text
  }
}
