{{/* Redis; the context is that of survey-deps.stores. */}}
{{- define "survey-deps.redis" -}}
{{- $values := .Values.redis }}
{{- $pod := include "survey-lib.podValues" (dict "defaults" .Values.defaults "own" .Values.redis) | fromJson }}
{{- $clients := (include "survey-deps.clients" (dict "root" . "store" "redis") | fromJson).names }}
{{ include "survey-deps.surroundings" (dict "root" . "store" "redis" "ports" (dict "redis" 6379) "clients" (append $clients "console")) }}
---
{{ include "survey-deps.statefulSet" (dict "root" . "store" "redis") }}
      containers:
        - name: redis
          image: {{ include "survey-lib.image" (dict "root" . "image" $values.image) }}
          # Nothing is persisted: it only caches. The shell expands the password, so that no argument of the pod contains it.
          command: [sh, -euc]
          args:
            - |
              umask 077
              { {{- if $values.auth.enabled }} echo "requirepass $REDIS_PASSWORD";{{ end }} echo 'save ""'; echo 'appendonly no'; echo 'protected-mode no'; echo 'dir /tmp'; echo 'maxmemory {{ div (mul (include "survey-lib.mebibytes" $values.resources.memory | int) 3) 4 }}mb'; echo 'maxmemory-policy allkeys-lru'; } > /tmp/redis.conf
              exec redis-server /tmp/redis.conf
          ports:
            - { name: redis, containerPort: 6379 }
          {{- with include "survey-lib.replaced" (dict "items" (include "survey-deps.redisEnv" .) "pod" $pod "key" "extraEnv") }}
          env:
            {{- . | nindent 12 }}
          {{- end }}
          startupProbe:
            tcpSocket: { port: redis }
            periodSeconds: 1
            failureThreshold: 60
          livenessProbe:
            tcpSocket: { port: redis }
            periodSeconds: 20
            timeoutSeconds: 5
            failureThreshold: 6
          readinessProbe:
            # Also "NOAUTH" is an answer.
            exec: { command: [redis-cli, ping] }
            periodSeconds: 5
            timeoutSeconds: 3
          {{- with $pod.extraEnvFrom }}
          envFrom:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          resources:
            {{- include "survey-lib.resources" $values.resources | nindent 12 }}
          securityContext:
            {{- include "survey-lib.containerSecurity" . | nindent 12 }}
          volumeMounts:
            {{- include "survey-lib.replaced" (dict "items" (include "survey-deps.redisMounts" .) "pod" $pod "key" "extraVolumeMounts" "by" "mountPath") | nindent 12 }}
      volumes:
        {{- include "survey-lib.replaced" (dict "items" (include "survey-deps.redisVolumes" .) "pod" $pod "key" "extraVolumes") | nindent 8 }}
{{- end -}}

{{- define "survey-deps.redisEnv" -}}
{{- if .Values.redis.auth.enabled }}
- name: REDIS_PASSWORD
  valueFrom:
    secretKeyRef: { name: {{ .Values.redis.auth.existingSecret }}, key: {{ .Values.redis.auth.key }} }
{{- end }}
{{- end -}}

{{- define "survey-deps.redisMounts" -}}
- { name: tmp, mountPath: /tmp }
{{- end -}}

{{- define "survey-deps.redisVolumes" -}}
- name: tmp
  emptyDir: { sizeLimit: 16Mi }
{{- end -}}
