// The version of this build, as /version and the UI show it.
export const CROFT_VERSION = '0.1.0'
