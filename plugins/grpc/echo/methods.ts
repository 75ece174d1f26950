/** The methods of the echo service by name, known before its packages are loaded. */
export const ECHO_SERVICE = 'svc.echo.v1.EchoService'
export const ECHO_METHODS = ['Echo', 'ServerStream', 'ClientStream', 'BidiStream', 'Fail'] as const
