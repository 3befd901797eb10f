{{/* Pod Security "restricted", for a pod. Argument: (dict "user" 10001); without a user the cluster assigns one, as OpenShift does. */}}
{{- define "survey-lib.podSecurity" -}}
runAsNonRoot: true
{{- with .user }}
runAsUser: {{ int . }}
runAsGroup: {{ int . }}
fsGroup: {{ int . }}
fsGroupChangePolicy: OnRootMismatch
{{- end }}
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{/* Pod Security "restricted", for a container; and a root file system that nobody writes to. */}}
{{- define "survey-lib.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/*
What a container asks for. The memory limit is the request: what a pod may use is what the node has set aside for it. No processor limit unless
one is given: throttling would stop the event loop.
*/}}
{{- define "survey-lib.resources" -}}
requests:
  cpu: {{ .cpu | quote }}
  memory: {{ .memory | quote }}
  ephemeral-storage: {{ .ephemeralStorage | quote }}
limits:
  memory: {{ .memory | quote }}
  ephemeral-storage: {{ .ephemeralStorage | quote }}
  {{- with .cpuLimit }}
  cpu: {{ . | quote }}
  {{- end }}
{{- end -}}

{{/*
The part of a pod's spec that all pods share.
Argument: (dict "root" $ "serviceAccount" name "user" uid "graceSeconds" n "pod" values).
*/}}
{{- define "survey-lib.podBase" -}}
serviceAccountName: {{ .serviceAccount }}
automountServiceAccountToken: false
enableServiceLinks: false
terminationGracePeriodSeconds: {{ int .graceSeconds }}
securityContext:
  {{- include "survey-lib.podSecurity" . | nindent 2 }}
{{- with .root.Values.global.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .pod }}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .hostAliases }}
hostAliases:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Labels and annotations of a pod. Argument: (dict "root" $ "component" … "pod" values ["annotations" dict]). */}}
{{- define "survey-lib.podMetadata" -}}
labels:
  {{- include "survey-lib.labels" . | nindent 2 }}
  {{- with .pod.podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with merge (default dict .annotations) .pod.podAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/*
What values say about a pod that is no service, as JSON: its own keys over the defaults; objects are merged, lists replaced.
Argument: (dict "defaults" values "own" values).
*/}}
{{- define "survey-lib.podValues" -}}
{{- $keys := list "priorityClassName" "nodeSelector" "tolerations" "affinity" "hostAliases" "podAnnotations" "podLabels" "extraEnv" "extraEnvFrom" "extraVolumes" "extraVolumeMounts" -}}
{{- $pod := dict -}}
{{- range $key := $keys -}}{{- $pod = merge $pod (deepCopy (dict $key (index $.defaults $key))) -}}{{- end -}}
{{- range $key, $own := .own -}}{{- if has $key $keys -}}{{- $pod = mergeOverwrite $pod (deepCopy (dict $key $own)) -}}{{- end -}}{{- end -}}
{{- toJson $pod -}}
{{- end -}}

{{/* A list of values, at the place of a template's own list: (dict "pod" values "key" "extraEnv"). */}}
{{- define "survey-lib.extra" -}}
{{- with index .pod .key }}{{ toYaml . }}{{ end -}}
{{- end -}}

{{/* A service account that can do nothing. Argument: (dict "root" $ "component" … "name" … ["annotations" …]). */}}
{{- define "survey-lib.serviceAccount" -}}
{{ include "survey-lib.head" (merge (dict "apiVersion" "v1" "kind" "ServiceAccount") .) }}
automountServiceAccountToken: false
{{- end -}}

{{/*
One topology spread constraint. A cordoned or lost node is no domain: without nodeTaintsPolicy it counts as an empty one, and nothing may be scheduled elsewhere.
Argument: (dict "root" $ "component" … "topologyKey" … "whenUnsatisfiable" … ["perVersion" bool]).
*/}}
{{- define "survey-lib.spread" -}}
- maxSkew: 1
  topologyKey: {{ .topologyKey }}
  whenUnsatisfiable: {{ .whenUnsatisfiable }}
  nodeTaintsPolicy: Honor
  labelSelector:
    matchLabels:
      {{- include "survey-lib.selector" . | nindent 6 }}
  {{- if .perVersion }}
  matchLabelKeys: [pod-template-hash]
  {{- end }}
{{- end -}}

{{/* 512Mi or 2Gi as a number of mebibytes. */}}
{{- define "survey-lib.mebibytes" -}}
{{- if hasSuffix "Gi" . }}{{ mul (trimSuffix "Gi" . | int) 1024 }}{{ else }}{{ trimSuffix "Mi" . | int }}{{ end -}}
{{- end -}}
