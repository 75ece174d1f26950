/** Sends JSON and reads the JSON of the response. */
export async function postJson(
  url: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<{ status: number; json: Record<string, unknown> }> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body), headers })
  return { status: response.status, json: (await response.json()) as Record<string, unknown> }
}
